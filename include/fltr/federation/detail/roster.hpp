#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <fltr/concepts/population.hpp>
#include <fltr/core/error.hpp>
#include <fltr/core/random.hpp>
#include <fltr/core/reduction_tree.hpp>
#include <fltr/data/client.hpp>

namespace fltr::detail {

/// The clients that are asked in a round, in blocks of neighbouring clients. A block belongs to fixed positions of the
/// population. A client that is not asked leaves its place empty, so that the other clients keep theirs in the sum.
class Roster {
 public:
  static constexpr std::size_t block_size = clients_per_block;

  template <Population P>
  Roster(P const& population, std::uint32_t round, Stream stream) : population_(population.size()) {
    if constexpr (composition::NamesHook_participants<P>) {
      static_assert(
          requires { std::vector<std::uint32_t>(population.participants(round, stream)); },
          "fltr: the Population's hook 'participants' must be callable as std::vector<std::uint32_t> "
          "participants(std::uint32_t round, Stream&) const");
      all_ = false;
      chosen_ = population.participants(round, stream);
      std::ranges::sort(chosen_);
      if (auto const twice = std::ranges::adjacent_find(chosen_); twice != chosen_.end())
        throw_requirement("Population", "participants that differ", "position " + std::to_string(*twice) + " twice");
      if (!chosen_.empty() && chosen_.back() >= population_)
        throw_requirement("Population", "participants smaller than size() = " + std::to_string(population_),
                          chosen_.back());
    }
  }

  /// Whether all clients are asked because the population does not choose participants.
  [[nodiscard]] bool asks_all() const noexcept { return all_; }
  /// The number of clients that are asked.
  [[nodiscard]] std::size_t size() const noexcept { return all_ ? population_ : chosen_.size(); }
  [[nodiscard]] std::size_t blocks() const noexcept { return block_count(population_); }
  [[nodiscard]] static constexpr std::size_t block_count(std::size_t population) noexcept {
    return std::max<std::size_t>(1, (population + block_size - 1) / block_size);
  }

  /// Calls visit(position) for each client of the block that is asked.
  template <class Visit>
  void for_each_in(std::size_t block, Visit const& visit) const {
    std::size_t const begin = block * block_size;
    std::size_t const end = std::min(population_, begin + block_size);
    if (all_) {
      for (std::size_t i = begin; i < end; ++i) visit(i);
      return;
    }
    for (auto it = std::ranges::lower_bound(chosen_, begin); it != chosen_.end() && *it < end; ++it)
      visit(std::size_t{*it});
  }

 private:
  std::size_t population_;
  bool all_ = true;                    // all clients are asked
  std::vector<std::uint32_t> chosen_;  // positions, sorted; empty if all clients are asked
};

/// The roster of a round of a run with this seed.
template <Population Clients>
[[nodiscard]] Roster roster_of(Clients const& clients, std::uint64_t seed, std::uint32_t round) {
  return Roster(clients, round, Streams{seed, round}.of(Purpose::participants));
}

/// The number of clients on the roster that are not forgotten. `forgotten`: ids of clients of the population, rising.
template <Population Clients>
[[nodiscard]] std::size_t count_asked(Roster const& roster, Clients const& clients,
                                      std::vector<ClientId> const& forgotten) {
  if (roster.asks_all() || forgotten.empty()) return roster.size() - forgotten.size();
  std::size_t count = 0;
  for (std::size_t block = 0; block < roster.blocks(); ++block)
    roster.for_each_in(block, [&](std::size_t position) {
      count += std::ranges::binary_search(forgotten, clients[position].id) ? 0U : 1U;
    });
  return count;
}

}  // namespace fltr::detail
