#pragma once

#include <string>

#include <fltr/core/state.hpp>
#include <fltr/federation/detail/finite_result.hpp>
#include <fltr/federation/detail/gathered_round.hpp>
#include <fltr/federation/detail/round_input.hpp>
#include <fltr/federation/detail/round_seal.hpp>
#include <fltr/federation/detail/streamed_round.hpp>

namespace fltr::detail {

/// Runs one round. The way of a message:
///
///   1. visit_clients.hpp: the clients that are asked, block by block.
///   2. local_work.hpp: the client learns, records, privatizes; the message is screened.
///   3. attackers.hpp: attackers rewrite their messages.
///   4. streamed_round.hpp: messages are sealed (round_seal.hpp) and added up, and the sum is aggregated; or
///      gathered_round.hpp: all messages are aggregated at once.
///
/// Changes only `ranker` and `state`. New states of clients are part of the outcome. Throws NotFiniteError if the result is
/// not finite: with a ranker of NaN no honest message would be finite again.
template <class Input>
[[nodiscard]] RoundOutcome<Input> run_round(Input const& input, typename Input::Ranker& ranker,
                                            State<typename Input::Aggregator>& state) {
  RoundSeal<Input> seal(input, ranker);
  seal.exchange_before_messages();
  auto outcome = [&] {
    if constexpr (Input::gathers)
      return gathered_round(input, seal, ranker, state);
    else
      return streamed_round(input, seal, ranker, state);
  }();
  if (!outcome.statistics.discarded) require_finite_result("round " + std::to_string(input.info.number), ranker, state);
  return outcome;
}

}  // namespace fltr::detail
