#pragma once

#include <fltr/core/state.hpp>
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
/// Changes only `ranker` and `state`. New states of clients are part of the outcome.
template <class Input>
[[nodiscard]] RoundOutcome<Input> run_round(Input const& input, typename Input::Ranker& ranker,
                                            State<typename Input::Aggregator>& state) {
  RoundSeal<Input> seal(input, ranker);
  seal.exchange_before_messages();
  if constexpr (Input::gathers)
    return gathered_round(input, seal, ranker, state);
  else
    return streamed_round(input, seal, ranker, state);
}

}  // namespace fltr::detail
