#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <fltr/data/dataset.hpp>
#include <fltr/data/feature_pattern.hpp>

#include "any_aggregator.hpp"
#include "any_attack.hpp"
#include "data_source.hpp"
#include "grid_summary.hpp"
#include "options.hpp"
#include "poisoning_kinds.hpp"
#include "program.hpp"

namespace fltr::examples {

/// The options of the program poisoning.
struct PoisoningOptions : CommonOptions {
  AttackKind attack = AttackKind::click_poisoning;
  AggregatorKind aggregator = AggregatorKind::fedavg;
  MixKind mix = MixKind::none;
  std::uint32_t malicious = 2;
  std::optional<std::uint32_t> assumed{};  ///< none: `malicious`
  KnowledgeKind knowledge = KnowledgeKind::full;
  double clipping_radius = 0.2;
  double norm_bound = 0.2;
  std::optional<std::uint32_t> target_feature{};  ///< of promote, counted from 1; none: see `targets_of`
  double target_share = 0.1;

  bool grid = false;
  std::vector<std::string> attacks{};
  std::vector<std::string> aggregators{};
  std::vector<std::string> behaviours{};
  std::vector<std::string> malicious_counts{};

  [[nodiscard]] Defence defence() const noexcept { return {aggregator, mix}; }
  [[nodiscard]] std::uint32_t assumed_malicious() const noexcept { return assumed.value_or(malicious); }
};

void declare_poisoning(Program& program, PoisoningOptions& options);
/// Throws UsageError for options that contradict each other.
void check_poisoning(Program& program, PoisoningOptions& options);

/// The fewest clients with which a defence can work.
[[nodiscard]] std::uint64_t minimum_clients(Defence const& defence, std::uint32_t assumed);
/// The values of the lists of --grid; all values for an empty list. Throws UsageError.
[[nodiscard]] GridAxes axes_of(PoisoningOptions const& options);

/// `seed` decides the buckets of bucketing.
[[nodiscard]] AnyAggregator aggregator_of(PoisoningOptions const& options, Defence const& defence,
                                          std::uint32_t assumed, std::uint64_t seed);
/// The attack of the first `malicious` clients on a defence.
[[nodiscard]] AnyAttack attack_of(PoisoningOptions const& options, AttackKind kind, std::uint32_t malicious,
                                  AnyAggregator const& defence, std::size_t grades, FeaturePattern const& targets);
[[nodiscard]] AnyClicks users_of(Clicks clicks, std::size_t grades);

/// The documents that promote wants on top: the --target-share of the documents with the highest values of
/// --target-feature. Without this option it is the feature whose highest documents have the lowest mean grade, so that
/// promoting them costs nDCG; of equal means, the first. Features for which this share is more than doubled by equal
/// values do not count, unless there is no other feature.
[[nodiscard]] FeaturePattern targets_of(PoisoningOptions const& options, Dataset const& train);

}  // namespace fltr::examples
