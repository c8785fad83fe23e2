#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include <fltr/aggregators/sum_messages.hpp>
#include <fltr/concepts/aggregator.hpp>

namespace fltr::testing {

/// Wraps a streaming or a gathering aggregator. It leaves out the messages of the `unwanted` clients, and counts for
/// each of them how many messages it dropped.
template <class A>
struct Dropping {
  struct State {
    fltr::State<A> inner{};
    std::map<ClientId, std::uint32_t> dropped{};
    auto fields(auto&& visit) { return visit(inner, dropped); }
  };

  A inner{};
  std::vector<ClientId> unwanted{};

  template <class M, class R>
  void aggregate(std::span<ClientMessage<M> const> all, R& ranker, State& state) const {
    std::vector<ClientMessage<M>> used;
    for (ClientMessage<M> const& sent : all)
      if (std::ranges::find(unwanted, sent.client) == unwanted.end())
        used.push_back(sent);
      else
        ++state.dropped[sent.client];
    if (used.empty()) return;
    if constexpr (Streaming<A>)
      fltr::aggregate(inner, sum_messages(inner, used, ranker), ranker, state.inner);
    else
      fltr::aggregate(inner, std::span<ClientMessage<M> const>(used), ranker, state.inner);
  }
};

}  // namespace fltr::testing
