#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include <fltr/concepts/aggregator.hpp>
#include <fltr/core/lazy_sum.hpp>
#include <fltr/core/reduction_tree.hpp>
#include <fltr/messages/client_message.hpp>

namespace fltr {

/// The Sum of gathered messages, with the same bits as if the messages had been streamed: it has the same blocks of
/// clients and the same tree. A gathering aggregator that wraps a streaming one calls it.
///
/// `messages` must be in the order of their positions, which is the order in which `aggregate` gets them.
template <class A, class M, class R>
requires Streaming<A>
[[nodiscard]] typename A::Sum sum_messages(A const& aggregator, std::span<ClientMessage<M> const> messages,
                                           R const& ranker) {
  auto const make = [&] { return aggregator.sum(ranker); };
  using Sum = LazySum<typename A::Sum>;
  // The tree is cut at powers of two. Which blocks are joined therefore does not depend on the number of later blocks.
  auto const add = [&](auto const& self, std::span<ClientMessage<M> const> part, std::size_t low,
                       std::size_t high) -> Sum {
    Sum sum;
    if (part.empty()) return sum;
    if (high - low <= 1) {
      for (ClientMessage<M> const& sent : part) sum.add(sent.message, make);
      return sum;
    }
    std::size_t const middle = tree_cut(low, high);
    auto const right = std::ranges::lower_bound(part, middle * clients_per_block, {}, &ClientMessage<M>::position);
    auto const split = static_cast<std::size_t>(right - part.begin());
    sum = self(self, part.first(split), low, middle);
    sum.merge(self(self, part.subspan(split), middle, high));
    return sum;
  };
  if (messages.empty()) return make();
  auto const blocks = static_cast<std::size_t>(messages.back().position) / clients_per_block + 1;
  return std::move(*add(add, messages, 0, blocks).sum);
}
template <class A, class M, class R>
requires Streaming<A>
[[nodiscard]] typename A::Sum sum_messages(A const& aggregator, std::vector<ClientMessage<M>> const& messages,
                                           R const& ranker) {
  return sum_messages(aggregator, std::span<ClientMessage<M> const>(messages), ranker);
}

}  // namespace fltr
