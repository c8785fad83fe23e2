#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include <fltr/aggregators/bulyan.hpp>
#include <fltr/aggregators/centered_clipping.hpp>
#include <fltr/aggregators/fed_avg.hpp>
#include <fltr/aggregators/fl_detector.hpp>
#include <fltr/aggregators/geometric_median.hpp>
#include <fltr/aggregators/krum.hpp>
#include <fltr/aggregators/meamed.hpp>
#include <fltr/aggregators/median.hpp>
#include <fltr/aggregators/minimum_diameter.hpp>
#include <fltr/aggregators/multi_krum.hpp>
#include <fltr/aggregators/on_alarm.hpp>
#include <fltr/aggregators/sum_messages.hpp>
#include <fltr/aggregators/trimmed_mean.hpp>
#include <fltr/concepts/aggregator.hpp>
#include <fltr/concepts/robust_rule.hpp>

#include "poisoning_kinds.hpp"

namespace fltr::examples {

/// Whether the aggregator is a SelectingRule; on-alarm is Multi-Krum after the alarm.
[[nodiscard]] constexpr bool selects(AggregatorKind kind) noexcept {
  switch (kind) {
    case AggregatorKind::krum:
    case AggregatorKind::multi_krum:
    case AggregatorKind::bulyan:
    case AggregatorKind::mda:
    case AggregatorKind::on_alarm:
      return true;
    default:
      return false;
  }
}

/// Whether the aggregator is a robust rule, or becomes one at an alarm: it reports about its rounds.
[[nodiscard]] constexpr bool is_robust(AggregatorKind kind) noexcept {
  return kind != AggregatorKind::fedavg && kind != AggregatorKind::fl_detector;
}

/// An aggregator that the program chooses at run time, once per round. One type for all of them means one federation to
/// compile for each ranker. The bits are those of the chosen aggregator.
///
/// As a RobustRule, for attackers that simulate it: fedavg and fl-detector are the mean with equal weights, and on-alarm
/// is the rule that works after the alarm.
struct AnyRule {
  using Alarmed = OnAlarm<FlDetector<>, MultiKrum>;

  struct State {
    RobustReport report{};  ///< of a robust rule
    fltr::State<FlDetector<>> detector{};
    fltr::State<Alarmed> alarmed{};
    auto fields(auto&& visit) { return visit(report, detector, alarmed); }
    [[nodiscard]] bool consistent() const { return detector.consistent() && alarmed.consistent(); }
  };

  AggregatorKind kind = AggregatorKind::fedavg;
  std::size_t malicious = 0;  ///< the assumed number of malicious clients
  double radius = 1.0;        ///< of centered-clipping

  /// Returns use(rule) for the robust rule.
  template <class Use>
  auto with_rule(Use const& use) const {
    switch (kind) {
      case AggregatorKind::krum:
        return use(Krum{.malicious = malicious});
      case AggregatorKind::multi_krum:
      case AggregatorKind::on_alarm:
        return use(MultiKrum{.malicious = malicious});
      case AggregatorKind::trimmed_mean:
        return use(TrimmedMean{.malicious = malicious});
      case AggregatorKind::median:
        return use(Median{.malicious = malicious});
      case AggregatorKind::geometric_median:
        return use(GeometricMedian{.malicious = malicious});
      case AggregatorKind::bulyan:
        return use(Bulyan{.malicious = malicious});
      case AggregatorKind::centered_clipping:
        return use(CenteredClipping{.radius = radius});
      case AggregatorKind::mda:
        return use(MinimumDiameter{.malicious = malicious});
      case AggregatorKind::meamed:
        return use(Meamed{.malicious = malicious});
      case AggregatorKind::fedavg:
      case AggregatorKind::fl_detector:
        break;
    }
    return use(TrimmedMean{.malicious = 0});  // the mean
  }

  [[nodiscard]] std::uint64_t minimum_messages() const {
    return with_rule([](auto const& rule) { return std::uint64_t{rule.minimum_messages()}; });
  }
  [[nodiscard]] bool guaranteed(std::size_t clients) const {
    return with_rule([&](auto const& rule) { return rule.guaranteed(clients); });
  }
  [[nodiscard]] std::vector<float> combine(MessageRows const& rows, std::span<float const> global) const {
    return with_rule([&](auto const& rule) { return rule.combine(rows, global); });
  }

  template <FlatMessage M, ParametricRanker R>
  void aggregate(std::span<ClientMessage<M> const> messages, R& ranker, State& state) const {
    switch (kind) {
      case AggregatorKind::fedavg: {
        FedAvg const average;
        return average.aggregate(sum_messages(average, messages, static_cast<R const&>(ranker)), ranker);
      }
      case AggregatorKind::fl_detector:
        return FlDetector<>{}.aggregate(messages, ranker, state.detector);
      case AggregatorKind::on_alarm:
        return Alarmed{.detector = {}, .aggregator = {.malicious = malicious}}.aggregate(messages, ranker,
                                                                                         state.alarmed);
      default:
        with_rule([&](auto const& rule) { rule.aggregate(messages, ranker, state.report); });
    }
  }

  /// The clients that the detector flagged, and the rounds in which it did.
  [[nodiscard]] std::map<ClientId, std::uint32_t> const& flagged(State const& state) const noexcept {
    return kind == AggregatorKind::on_alarm ? state.alarmed.detector.flagged : state.detector.flagged;
  }
  /// What the robust rule reported about the last round.
  [[nodiscard]] RobustReport const& report(State const& state) const noexcept {
    return kind == AggregatorKind::on_alarm ? state.alarmed.inner : state.report;
  }
};
static_assert(Aggregator<AnyRule> && RobustRule<AnyRule>);

/// An AnyRule whose kind `selects`.
struct AnySelectingRule : AnyRule {
  [[nodiscard]] std::vector<std::size_t> select(MessageRows const& rows, std::span<float const> global) const {
    return with_rule([&](auto const& rule) -> std::vector<std::size_t> {
      if constexpr (SelectingRule<decltype(rule)>)
        return rule.select(rows, global);
      else
        return {};
    });
  }
};
static_assert(SelectingRule<AnySelectingRule>);

}  // namespace fltr::examples
