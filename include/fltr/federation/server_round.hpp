#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <fltr/concepts/aggregator.hpp>
#include <fltr/core/error.hpp>
#include <fltr/core/state.hpp>
#include <fltr/core/tree.hpp>
#include <fltr/federation/contribution.hpp>
#include <fltr/federation/roster.hpp>
#include <fltr/federation/tally.hpp>
#include <fltr/messages/sent.hpp>

namespace fltr {

/// What a server knows of the clients that it asked.
struct ServerRound {
  std::size_t population = 0;      ///< clients are numbered from 0 to population − 1
  std::uint32_t interactions = 0;  ///< asked of each client
  std::uint64_t minimum_reports = 1;
};

/// The server's half of a round outside a Federation: screens the messages that arrived, in any order, and aggregates
/// them. The same bits as in a Federation whose client i has the id i: messages are added up in the same tree, and
/// whoever did not report leaves a hole. A client that sends twice, or that nobody knows, is rejected.
template <class A, class M, class R>
Tally serve_round(A const& aggregator, ServerRound const& round, std::vector<Sent<M>> messages, R& ranker,
                  State<A>& state) {
  require(round.population > 0, "serve_round", "at least one client", round.population);
  std::ranges::stable_sort(messages, {}, &Sent<M>::client);
  Tally tally;
  std::vector<Sent<M>> good;
  for (std::size_t i = 0; i < messages.size(); ++i) {
    bool const first = i == 0 || messages[i].client != messages[i - 1].client;
    if (first && messages[i].client < round.population && messages[i].message.fits(ranker, round.interactions))
      good.push_back(std::move(messages[i]));
    else
      ++tally.rejected;
  }
  tally.reported = good.size();
  tally.dropped = round.population - std::min<std::uint64_t>(round.population, tally.reported + tally.rejected);
  if (tally.reported < round.minimum_reports) return tally;

  if constexpr (Streaming<A>) {
    std::size_t const blocks = (round.population + Roster::block_size - 1) / Roster::block_size;
    auto total = reduce_tree(0, blocks, [&](std::size_t block) {
      Contribution<typename A::Sum> part{aggregator.sum(ranker), {}};
      auto next = std::ranges::lower_bound(good, block * Roster::block_size, {}, &Sent<M>::client);
      for (; next != good.end() && next->client < (block + 1) * Roster::block_size; ++next)
        part.payload.add(next->message);
      return part;
    });
    aggregate(aggregator, std::move(total.payload), ranker, state);
  } else {
    aggregate(aggregator, std::span<Sent<M> const>(good), ranker, state);
  }
  return tally;
}

}  // namespace fltr
