#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
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

  /// Positions in rising order. Every subset of `per_round` clients is equally likely. At most 1/16 of the clients are
  /// drawn by Floyd's algorithm, with one random number per participant. More are drawn by selection sampling (Knuth,
  /// algorithm S), with one random number per client.
  [[nodiscard]] std::vector<std::uint32_t> participants(std::uint32_t, Stream& stream) const {
    require(per_round > 0 && per_round <= size(), "Sampled", "1 to all clients per round", per_round);
    if (per_round <= size() / 16) {
      std::set<std::uint32_t> drawn;
      for (std::size_t last = size() - per_round; last < size(); ++last)
        if (!drawn.insert(stream.below(static_cast<std::uint32_t>(last + 1))).second)
          drawn.insert(static_cast<std::uint32_t>(last));
      return {drawn.begin(), drawn.end()};
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
};
template <class P>
Sampled(P, std::size_t) -> Sampled<P>;

}  // namespace fltr
