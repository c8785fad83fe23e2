#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <fltr/aggregators/sum_messages.hpp>
#include <fltr/concepts/aggregator.hpp>
#include <fltr/concepts/message.hpp>
#include <fltr/core/error.hpp>
#include <fltr/core/state.hpp>
#include <fltr/federation/detail/finite_result.hpp>
#include <fltr/federation/round_statistics.hpp>
#include <fltr/messages/client_message.hpp>

namespace fltr {

/// What a server knows of the clients that it asked.
struct ServerRound {
  std::size_t population = 0;      ///< clients are numbered from 0 to population − 1
  std::uint32_t interactions = 0;  ///< asked of each client, if `asked` is empty
  std::uint64_t minimum_reports = 1;
  std::vector<std::uint32_t> asked{};  ///< interactions asked of each client (0: not asked); may be empty

  [[nodiscard]] std::uint32_t asked_of(ClientId client) const {
    if (client >= population) return 0;
    return asked.empty() ? interactions : asked[client];
  }
};

/// The server's half of a round outside a Federation: screens the messages that arrived, in any order, and aggregates
/// them. The result has the same bits as in a Federation whose client i has the id i. A second message of a client, and
/// a message of a client that was not asked, are rejected. If it throws, `ranker` and `state` are as before; a result that
/// is not finite is a NotFiniteError.
template <class A, class M, class R>
RoundStatistics serve_round(A const& aggregator, ServerRound const& round, std::vector<ClientMessage<M>> messages,
                            R& ranker, State<A>& state) {
  require(round.population > 0, "serve_round", "at least one client", round.population);
  require(round.asked.empty() || round.asked.size() == round.population, "serve_round",
          "interactions asked of each client", round.asked.size());
  require(round.minimum_reports > 0, "serve_round", "minimum_reports >= 1", round.minimum_reports);
  static_assert(!Sealing<A>,
                "fltr: serve_round takes messages that are not sealed; for this Aggregator use SealedRound");
  std::ranges::stable_sort(messages, {}, &ClientMessage<M>::client);
  RoundStatistics statistics;
  std::vector<ClientMessage<M>> good;
  std::uint64_t answered = 0;
  for (std::size_t i = 0; i < messages.size(); ++i) {
    std::uint32_t const asked = round.asked_of(messages[i].client);
    bool const first = asked > 0 && (i == 0 || messages[i].client != messages[i - 1].client);
    if (first) ++answered;
    if (!first || !messages[i].message.fits(ranker, asked)) {
      ++statistics.rejected;
      continue;
    }
    statistics.use(weight_of(messages[i].message), composition::value_count(messages[i].message), false);
    messages[i].position = messages[i].client;
    good.push_back(std::move(messages[i]));
  }
  std::uint64_t const participants =
      round.asked.empty()
          ? round.population
          : static_cast<std::uint64_t>(std::ranges::count_if(round.asked, [](auto n) { return n > 0; }));
  statistics.dropped = participants - answered;
  statistics.discarded = statistics.reported < std::max(round.minimum_reports, minimum_messages(aggregator));
  if (statistics.discarded) return statistics;

  std::span<ClientMessage<M> const> const used(good);
  R next = ranker;
  State<A> next_state = state;
  if constexpr (Streaming<A>)
    aggregate(aggregator, sum_messages(aggregator, used, std::as_const(ranker)), next, next_state);
  else
    aggregate(aggregator, used, next, next_state);
  detail::require_finite_result("serve_round", next, next_state);
  ranker = std::move(next);
  state = std::move(next_state);
  return statistics;
}

}  // namespace fltr
