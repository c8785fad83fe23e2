#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <utility>
#include <vector>

#include <fltr/core/tree.hpp>
#include <fltr/federation/roster.hpp>
#include <fltr/federation/tally.hpp>
#include <fltr/messages/sent.hpp>

namespace fltr {

/// Messages of a round, in the order of the clients' positions in the population.
template <class M>
struct Gathered {
  std::vector<Sent<M>> messages;
  std::vector<std::uint64_t> positions;

  void add(std::size_t position, Sent<M> sent) {
    messages.push_back(std::move(sent));
    positions.push_back(position);
  }
  void merge(Gathered&& other) {
    messages.insert(messages.end(), std::make_move_iterator(other.messages.begin()),
                    std::make_move_iterator(other.messages.end()));
    positions.insert(positions.end(), other.positions.begin(), other.positions.end());
  }
  void fields(auto&& visit) { visit(messages, positions); }
};

/// Gathered messages, added up in the tree in which they would have been streamed.
template <class M, class Sum, class Seal>
[[nodiscard]] Sum sum_in_blocks(Gathered<M> const& all, std::size_t population, Sum const& nothing, Seal const& seal) {
  return reduce_tree(0, Roster::block_count(population), [&](std::size_t block) {
    Sum sum = nothing;
    auto const first = std::ranges::lower_bound(all.positions, block * Roster::block_size);
    for (auto i = static_cast<std::size_t>(first - all.positions.begin());
         i < all.positions.size() && all.positions[i] < (block + 1) * Roster::block_size; ++i)
      sum.add(seal(all.messages[i]));
    return sum;
  });
}

/// What a block of clients contributes to a round: messages, summed up or gathered, and what was counted.
template <class Payload>
struct Contribution {
  Payload payload;
  Tally tally;

  void merge(Contribution&& other) {
    payload.merge(std::move(other.payload));
    tally.merge(other.tally);
  }
  void fields(auto&& visit) { visit(payload, tally); }
};

}  // namespace fltr
