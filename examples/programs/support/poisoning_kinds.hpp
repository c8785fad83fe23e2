#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "options.hpp"

namespace fltr::examples {

enum class AttackKind {
  none,
  click_poisoning,
  little_is_enough,
  fang,
  inversion,
  sign_flip,
  min_max,
  min_sum,
  dyn_opt,
  inner_product,
  mimic,
  promote,
};
enum class AggregatorKind {
  fedavg,
  krum,
  multi_krum,
  trimmed_mean,
  median,
  geometric_median,
  bulyan,
  centered_clipping,
  mda,
  meamed,
  fl_detector,
  on_alarm,
};
/// What happens to the messages before the aggregator gets them.
enum class MixKind { none, nnm, bucketing, norm_bound };
enum class KnowledgeKind { full, partial };

/// The names on the command line, in the order of the enumerations.
template <class Kind>
using KindNames = std::vector<std::pair<std::string, Kind>>;
[[nodiscard]] KindNames<AttackKind> const& attack_names();
[[nodiscard]] KindNames<AggregatorKind> const& aggregator_names();
[[nodiscard]] KindNames<MixKind> const& mix_names();
[[nodiscard]] KindNames<KnowledgeKind> const& knowledge_names();
[[nodiscard]] KindNames<Clicks> const& click_names();

/// The value of a name; none if there is no such name.
template <class Kind>
[[nodiscard]] std::optional<Kind> kind_of(KindNames<Kind> const& names, std::string_view name) {
  for (auto const& [known, kind] : names)
    if (known == name) return kind;
  return std::nullopt;
}

[[nodiscard]] std::string const& name_of(AttackKind kind);
[[nodiscard]] std::string const& name_of(AggregatorKind kind);
[[nodiscard]] std::string const& name_of(MixKind kind);
[[nodiscard]] std::string const& name_of(Clicks clicks);

/// Whether the attack exists for both kinds of knowledge.
[[nodiscard]] bool has_knowledge(AttackKind kind) noexcept;
/// Whether the aggregator reports clients that it considers malicious.
[[nodiscard]] bool detects(AggregatorKind kind) noexcept;

/// An aggregator, and what happens to the messages before.
struct Defence {
  AggregatorKind aggregator = AggregatorKind::fedavg;
  MixKind mix = MixKind::none;

  auto operator<=>(Defence const&) const = default;
};
/// Plain federated averaging.
inline constexpr Defence no_defence{};

/// "krum", or with a mix "nnm+krum".
[[nodiscard]] std::string name_of(Defence const& defence);
[[nodiscard]] std::optional<Defence> defence_named(std::string_view name);

}  // namespace fltr::examples
