#include "poisoning_kinds.hpp"

#include <cstddef>

namespace fltr::examples {

namespace {

/// The names are in the order of the enumeration, which starts at 0.
template <class Kind>
std::string const& name_at(KindNames<Kind> const& names, Kind kind) {
  return names[static_cast<std::size_t>(kind)].first;
}

}  // namespace

KindNames<AttackKind> const& attack_names() {
  static KindNames<AttackKind> const names{{"none", AttackKind::none},
                                           {"click-poisoning", AttackKind::click_poisoning},
                                           {"little-is-enough", AttackKind::little_is_enough},
                                           {"fang", AttackKind::fang},
                                           {"inversion", AttackKind::inversion},
                                           {"sign-flip", AttackKind::sign_flip},
                                           {"min-max", AttackKind::min_max},
                                           {"min-sum", AttackKind::min_sum},
                                           {"dyn-opt", AttackKind::dyn_opt},
                                           {"inner-product", AttackKind::inner_product},
                                           {"mimic", AttackKind::mimic},
                                           {"promote", AttackKind::promote}};
  return names;
}

KindNames<AggregatorKind> const& aggregator_names() {
  static KindNames<AggregatorKind> const names{{"fedavg", AggregatorKind::fedavg},
                                               {"krum", AggregatorKind::krum},
                                               {"multi-krum", AggregatorKind::multi_krum},
                                               {"trimmed-mean", AggregatorKind::trimmed_mean},
                                               {"median", AggregatorKind::median},
                                               {"geometric-median", AggregatorKind::geometric_median},
                                               {"bulyan", AggregatorKind::bulyan},
                                               {"centered-clipping", AggregatorKind::centered_clipping},
                                               {"mda", AggregatorKind::mda},
                                               {"meamed", AggregatorKind::meamed},
                                               {"fl-detector", AggregatorKind::fl_detector},
                                               {"on-alarm", AggregatorKind::on_alarm}};
  return names;
}

KindNames<MixKind> const& mix_names() {
  static KindNames<MixKind> const names{{"none", MixKind::none},
                                        {"nnm", MixKind::nnm},
                                        {"bucketing", MixKind::bucketing},
                                        {"norm-bound", MixKind::norm_bound}};
  return names;
}

KindNames<KnowledgeKind> const& knowledge_names() {
  static KindNames<KnowledgeKind> const names{{"full", KnowledgeKind::full}, {"partial", KnowledgeKind::partial}};
  return names;
}

KindNames<Clicks> const& click_names() {
  static KindNames<Clicks> const names{
      {"perfect", Clicks::perfect}, {"navigational", Clicks::navigational}, {"informational", Clicks::informational}};
  return names;
}

std::string const& name_of(AttackKind kind) { return name_at(attack_names(), kind); }
std::string const& name_of(AggregatorKind kind) { return name_at(aggregator_names(), kind); }
std::string const& name_of(MixKind kind) { return name_at(mix_names(), kind); }
std::string const& name_of(Clicks clicks) { return name_at(click_names(), clicks); }

bool has_knowledge(AttackKind kind) noexcept {
  switch (kind) {
    case AttackKind::fang:
    case AttackKind::sign_flip:
    case AttackKind::min_max:
    case AttackKind::min_sum:
    case AttackKind::dyn_opt:
    case AttackKind::inner_product:
    case AttackKind::mimic:
      return true;
    default:
      return false;
  }
}

bool detects(AggregatorKind kind) noexcept {
  return kind == AggregatorKind::fl_detector || kind == AggregatorKind::on_alarm;
}

std::string name_of(Defence const& defence) {
  std::string const& rule = name_of(defence.aggregator);
  return defence.mix == MixKind::none ? rule : name_of(defence.mix) + '+' + rule;
}

std::optional<Defence> defence_named(std::string_view name) {
  Defence defence;
  if (auto const plus = name.find('+'); plus != std::string_view::npos) {
    auto const mix = kind_of(mix_names(), name.substr(0, plus));
    if (!mix || *mix == MixKind::none) return std::nullopt;
    defence.mix = *mix;
    name.remove_prefix(plus + 1);
  }
  auto const aggregator = kind_of(aggregator_names(), name);
  if (!aggregator) return std::nullopt;
  defence.aggregator = *aggregator;
  return defence;
}

}  // namespace fltr::examples
