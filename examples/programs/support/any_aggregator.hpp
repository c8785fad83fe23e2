#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include <fltr/aggregators/bucketing.hpp>
#include <fltr/aggregators/nearest_neighbor_mixing.hpp>
#include <fltr/aggregators/norm_bound.hpp>
#include <fltr/concepts/aggregator.hpp>
#include <fltr/core/state.hpp>

#include "any_rule.hpp"
#include "poisoning_kinds.hpp"

namespace fltr::examples {

/// A Defence: an AnyRule, wrapped as --mix says. The wrapper is chosen once per round.
struct AnyAggregator {
  struct State {
    fltr::State<AnyRule> plain{};
    fltr::State<NearestNeighborMixing<AnyRule>> nnm{};
    fltr::State<Bucketing<AnyRule>> bucketing{};
    fltr::State<NormBound<AnyRule>> norm_bound{};
    auto fields(auto&& visit) { return visit(plain, nnm, bucketing, norm_bound); }
    [[nodiscard]] bool consistent() const {
      return plain.consistent() && nnm.consistent() && bucketing.consistent() && norm_bound.consistent();
    }
  };

  AnyRule rule{};
  MixKind mix = MixKind::none;
  double bound = 1.0;      ///< of norm-bound
  std::uint64_t seed = 1;  ///< of bucketing

  /// Returns use(aggregator, its state).
  template <class Use, class S>
  decltype(auto) with_aggregator(S& state, Use const& use) const {
    switch (mix) {
      case MixKind::nnm:
        return use(NearestNeighborMixing<AnyRule>{.aggregator = rule, .malicious = rule.malicious}, state.nnm);
      case MixKind::bucketing:
        return use(Bucketing<AnyRule>{.aggregator = rule, .seed = seed}, state.bucketing);
      case MixKind::norm_bound:
        return use(NormBound<AnyRule>{.aggregator = rule, .bound = bound}, state.norm_bound);
      case MixKind::none:
        break;
    }
    return use(rule, state.plain);
  }

  [[nodiscard]] std::uint64_t minimum_messages() const {
    State none;
    return with_aggregator(none, [](auto const& a, auto&) { return std::uint64_t{a.minimum_messages()}; });
  }

  template <FlatMessage M, ParametricRanker R>
  void aggregate(std::span<ClientMessage<M> const> messages, R& ranker, State& state) const {
    with_aggregator(state, [&](auto const& a, auto& own) { a.aggregate(messages, ranker, own); });
  }

  /// The state of the rule, within that of the wrapper.
  [[nodiscard]] fltr::State<AnyRule> const& rule_state(State const& state) const noexcept {
    switch (mix) {
      case MixKind::nnm:
        return state.nnm.inner;
      case MixKind::bucketing:
        return state.bucketing.inner;
      case MixKind::norm_bound:
        return state.norm_bound.inner;
      case MixKind::none:
        break;
    }
    return state.plain;
  }
  [[nodiscard]] std::map<ClientId, std::uint32_t> const& flagged(State const& state) const noexcept {
    return rule.flagged(rule_state(state));
  }
};
static_assert(Aggregator<AnyAggregator>);

/// The Defence as attackers simulate it. Bucketing, whose permutation they do not know, is left out.
template <RobustRule Rule>
struct SimulatedDefence {
  Rule rule{};
  MixKind mix = MixKind::none;
  double bound = 1.0;         ///< of norm-bound
  std::size_t malicious = 0;  ///< takes the place of `rule.malicious`

  [[nodiscard]] std::uint64_t minimum_messages() const {
    return mix == MixKind::nnm ? mixing().minimum_messages() : expecting().minimum_messages();
  }
  [[nodiscard]] bool guaranteed(std::size_t clients) const { return expecting().guaranteed(clients); }
  [[nodiscard]] std::vector<float> combine(MessageRows const& rows, std::span<float const> global) const {
    if (mix == MixKind::nnm) return mixing().combine(rows, global);
    if (mix == MixKind::norm_bound) return bounded().combine(rows, global);
    return expecting().combine(rows, global);
  }
  [[nodiscard]] std::vector<std::size_t> select(MessageRows const& rows, std::span<float const> global) const
  requires SelectingRule<Rule>
  {
    if (mix == MixKind::nnm) return mixing().select(rows, global);
    if (mix == MixKind::norm_bound) return bounded().select(rows, global);
    return expecting().select(rows, global);
  }

 private:
  [[nodiscard]] Rule expecting() const {
    Rule other = rule;
    other.malicious = malicious;
    return other;
  }
  [[nodiscard]] NormBound<Rule> bounded() const { return {expecting(), bound}; }
  [[nodiscard]] NearestNeighborMixing<Rule> mixing() const { return {expecting(), malicious}; }
};

}  // namespace fltr::examples
