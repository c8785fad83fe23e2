#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>

#include <fltr/aggregators/detail/aggregate_gathered.hpp>
#include <fltr/concepts/aggregator.hpp>
#include <fltr/concepts/detector.hpp>
#include <fltr/core/state.hpp>
#include <fltr/messages/client_message.hpp>

namespace fltr {

/// Defends only once an attack takes place (proposed by Wang 2024, section 5.7: robust rules cost effectiveness without
/// an attack). The Detector D aggregates, usually by plain averaging, until it flags a client. That is the alarm. From
/// the round of the alarm on the aggregator A, usually a robust rule, works instead, until the end.
///
///     fltr::OnAlarm<fltr::FlDetector<>, fltr::MultiKrum>{.aggregator = {.malicious = 2}}
///
/// In the round of the alarm, what the Detector did to the ranker is undone, and A works with the ranker that was sent to
/// the clients. Before the alarm, the result has the bits of the Detector.
///
/// **A gets the messages of all clients, those of flagged clients included.** A is robust, so it need not be protected
/// from them, and its assumed number of malicious clients still counts all clients. If flagged clients were dropped, a
/// false alarm would exclude honest clients for ever. A false alarm then costs only what A costs without an attack.
///
/// After the alarm the Detector does not run. The first alarm is never taken back. `minimum_messages()` is the larger one
/// of both, in all rounds: a round with fewer messages leaves the ranker unchanged, and the statistics say so.
///
/// Cost: that of D, and a copy of the ranker per round; after the alarm that of A. The State reports the round of the
/// alarm; the flagged clients are in the State of D, which keeps its memory.
template <Detector D, class A>
struct OnAlarm {
  struct State {
    fltr::State<D> detector{};  ///< after the alarm it does not change
    fltr::State<A> inner{};     ///< of A; unused before the alarm
    std::uint32_t round = 0;    ///< rounds that were aggregated
    std::uint32_t alarm = 0;    ///< the round of the alarm; 0: none so far
    auto fields(auto&& visit) { return visit(detector, inner, round, alarm); }
    [[nodiscard]] bool consistent() const {
      return detail::is_consistent_state(detector) && detail::is_consistent_state(inner);
    }
  };

  D detector{};
  A aggregator{};

  [[nodiscard]] std::uint64_t minimum_messages() const {
    return std::max(fltr::minimum_messages(detector), fltr::minimum_messages(aggregator));
  }

  template <class M, class R>
  requires detail::Wrappable<D, M, R> && detail::Wrappable<A, M, R>
  void aggregate(std::span<ClientMessage<M> const> messages, R& ranker, State& state) const {
    ++state.round;
    if (state.alarm == 0) {
      R averaged = ranker;
      detail::aggregate_gathered(detector, messages, averaged, state.detector);
      if (state.detector.flagged.empty()) {
        ranker = std::move(averaged);
        return;
      }
      state.alarm = state.round;
    }
    detail::aggregate_gathered(aggregator, messages, ranker, state.inner);
  }
};
template <class D, class A>
OnAlarm(D, A) -> OnAlarm<D, A>;

}  // namespace fltr
