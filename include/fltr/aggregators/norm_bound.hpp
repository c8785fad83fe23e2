#pragma once

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include <fltr/aggregators/detail/aggregate_gathered.hpp>
#include <fltr/aggregators/detail/vector_sums.hpp>
#include <fltr/aggregators/fed_avg.hpp>
#include <fltr/concepts/aggregator.hpp>
#include <fltr/concepts/robust_rule.hpp>
#include <fltr/core/error.hpp>
#include <fltr/core/state.hpp>
#include <fltr/messages/client_message.hpp>
#include <fltr/messages/shared_parameters.hpp>

namespace fltr {

namespace detail {

/// The next float from x toward y. Requires x ≠ y.
[[nodiscard]] inline float next_toward(float x, float y) {
  if (x == 0.0F) return std::copysign(std::numeric_limits<float>::denorm_min(), y);
  auto const bits = std::bit_cast<std::uint32_t>(x);
  return std::bit_cast<float>((x < y) == (x > 0.0F) ? bits + 1 : bits - 1);
}

/// x ← c + (x − c) · min(1, bound / ‖x − c‖₂). Returns whether x changed. The norm is computed in double. Each result is
/// rounded toward c, so that the norm of the rounded difference is at most `bound`.
inline bool clip_difference(std::span<float> values, std::span<float const> center, double bound) {
  double const norm = std::sqrt(squared_distance(values, center));
  if (!(norm > bound)) return false;
  double const factor = bound / norm * (1.0 - 0x1p-50);
  for (std::size_t k = 0; k < values.size(); ++k) {
    auto const c = static_cast<double>(center[k]);
    double const off = (static_cast<double>(values[k]) - c) * factor;
    auto const near = static_cast<float>(c + off);
    values[k] = std::abs(static_cast<double>(near) - c) > std::abs(off) ? next_toward(near, center[k]) : near;
  }
  return true;
}

}  // namespace detail

/// Bounds how far a single client can move the model (Sun et al. 2019, "Can you really backdoor federated learning?"):
/// each message x becomes w + (x − w) · min(1, bound / ‖x − w‖₂), where w are the weights that were sent to the
/// clients. Then the wrapped aggregator A works with the changed messages. A message within the bound keeps its bits,
/// so with an infinite bound the result has the bits of A.
///
/// With FedAvg, m attackers of equal weight among n clients move the model by at most m · bound / n more than their
/// honest messages would. The bound must fit the length of an honest update: a smaller one slows down training. It does
/// not help against attackers who send updates of ordinary length.
///
/// The server reads single messages, so a mechanism that protects only sums accounts an infinite epsilon.
///
/// Cost: O(n d) for n messages of d values, and a copy of the messages. The State reports the clients whose messages
/// were clipped. If A is a RobustRule or a SelectingRule, NormBound<A> is one too. Its guarantee is that of A, for the clipped messages.
template <class A = FedAvg>
struct NormBound {
  struct State {
    fltr::State<A> inner{};           ///< of the wrapped aggregator
    std::vector<ClientId> clipped{};  ///< the clients of the last round whose messages were too long
    auto fields(auto&& visit) { return visit(inner, clipped); }
    [[nodiscard]] bool consistent() const { return detail::is_consistent_state(inner); }
  };

  A aggregator{};
  double bound = 1.0;  ///< largest L2 norm of an update; > 0, may be infinite

  [[nodiscard]] std::uint64_t minimum_messages() const { return fltr::minimum_messages(aggregator); }

  template <class M, class R>
  requires detail::Wrappable<A, M, R>
  void aggregate(std::span<ClientMessage<M> const> messages, R& ranker, State& state) const {
    check();
    std::vector<ClientMessage<M>> bounded(messages.begin(), messages.end());
    state.clipped.clear();
    for (ClientMessage<M>& sent : bounded)
      if (detail::clip_difference(sent.message.values, shared_parameters(std::as_const(ranker)), bound))
        state.clipped.push_back(sent.client);
    detail::aggregate_gathered(aggregator, std::span<ClientMessage<M> const>(bounded), ranker, state.inner);
  }

  /// The rows that the wrapped aggregator gets.
  [[nodiscard]] MessageRows mix(MessageRows rows, std::span<float const> global) const {
    check();
    for (std::size_t c = 0; c < rows.clients(); ++c) detail::clip_difference(rows.row(c), global, bound);
    return rows;
  }
  [[nodiscard]] std::vector<float> combine(MessageRows const& rows, std::span<float const> global) const
  requires RobustRule<A>
  {
    return aggregator.combine(mix(rows, global), global);
  }
  [[nodiscard]] std::vector<std::size_t> select(MessageRows const& rows, std::span<float const> global) const
  requires SelectingRule<A>
  {
    return aggregator.select(mix(rows, global), global);
  }
  [[nodiscard]] bool guaranteed(std::size_t clients) const
  requires RobustRule<A>
  {
    return aggregator.guaranteed(clients);
  }

 private:
  void check() const { require(bound > 0.0, "NormBound", "a bound > 0", bound); }
};
template <class A>
NormBound(A, double) -> NormBound<A>;
static_assert(Aggregator<NormBound<>>);

}  // namespace fltr
