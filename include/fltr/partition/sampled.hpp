#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <fltr/concepts/population.hpp>
#include <fltr/core/error.hpp>
#include <fltr/core/random.hpp>

namespace fltr {

/// A population of which `per_round` clients are asked in each round. They are drawn uniformly without replacement.
template <Population P>
struct Sampled {
  static_assert(!composition::NamesHook_participants<P>,
                "fltr: the population within Sampled must not have the hook 'participants': Sampled draws the "
                "participants itself");

  P population;
  std::size_t per_round = 100;

  [[nodiscard]] std::size_t size() const { return population.size(); }
  [[nodiscard]] auto operator[](std::size_t i) const { return population[i]; }
  [[nodiscard]] std::string discloses() const { return disclosed_by(population); }

  /// Positions in rising order. Every subset of `per_round` clients is equally likely. At most 1/16 of the clients are
  /// drawn by Floyd's algorithm, with one random number per participant. More are drawn by selection sampling (Knuth,
  /// algorithm S), with one random number per client.
  [[nodiscard]] std::vector<std::uint32_t> participants(std::uint32_t, Stream& stream) const {
    require(per_round > 0 && per_round <= size(), "Sampled", "1 to all clients per round", per_round);
    if (per_round <= size() / 16) {
      Drawn drawn(per_round);
      for (std::size_t last = size() - per_round; last < size(); ++last)
        if (!drawn.insert(stream.below(static_cast<std::uint32_t>(last + 1))))
          drawn.insert(static_cast<std::uint32_t>(last));
      return std::move(drawn).sorted();
    }
    std::vector<std::uint32_t> chosen;
    chosen.reserve(per_round);
    for (std::size_t i = 0; chosen.size() < per_round; ++i)
      if (stream.uniform() * static_cast<double>(size() - i) < static_cast<double>(per_round - chosen.size()))
        chosen.push_back(static_cast<std::uint32_t>(i));
    return chosen;
  }

  /// Asks the hook `reports` of the population within.
  [[nodiscard]] bool reports(RoundPhase const& at, std::size_t i, Stream& stream) const {
    return fltr::reports(population, at, i, stream);
  }

 private:
  /// A set of positions below 2^32 - 1: a hash table that is at most half full. 10^7 insertions take less than 1 s.
  class Drawn {
   public:
    explicit Drawn(std::size_t size) : slots_(std::bit_ceil(2 * size), none) {}

    /// Returns whether the position is new.
    bool insert(std::uint32_t position) {
      std::uint64_t const mixed = position * 0x9E3779B97F4A7C15U;  // 2^64 / golden ratio: spreads neighbours
      std::size_t slot = static_cast<std::size_t>(mixed >> 32U) & (slots_.size() - 1);
      while (slots_[slot] != none) {
        if (slots_[slot] == position) return false;
        slot = (slot + 1) & (slots_.size() - 1);
      }
      slots_[slot] = position;
      return true;
    }
    [[nodiscard]] std::vector<std::uint32_t> sorted() && {
      std::erase(slots_, none);
      std::ranges::sort(slots_);
      return std::move(slots_);
    }

   private:
    static constexpr std::uint32_t none = 0xFFFFFFFFU;
    std::vector<std::uint32_t> slots_;
  };
};
template <class P>
Sampled(P, std::size_t) -> Sampled<P>;

}  // namespace fltr
