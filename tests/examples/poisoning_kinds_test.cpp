#include "support/poisoning_kinds.hpp"

#include <cstddef>
#include <optional>

#include "support/catch.hpp"

using namespace fltr::examples;

TEST_CASE("Names and kinds are in the same order") {
  auto const in_order = [](auto const& names) {
    for (std::size_t i = 0; i < names.size(); ++i) CHECK(static_cast<std::size_t>(names[i].second) == i);
  };
  in_order(attack_names());
  in_order(aggregator_names());
  in_order(mix_names());
  in_order(knowledge_names());
  in_order(click_names());
  CHECK(attack_names().size() == 12);
  CHECK(aggregator_names().size() == 12);
  CHECK(name_of(AttackKind::little_is_enough) == "little-is-enough");
  CHECK(name_of(AggregatorKind::on_alarm) == "on-alarm");
  CHECK(kind_of(attack_names(), "dyn-opt") == AttackKind::dyn_opt);
  CHECK_FALSE(kind_of(attack_names(), "dynopt"));
}

TEST_CASE("The name of a defence is that of its aggregator, behind that of its mix") {
  for (auto const& [rule, aggregator] : aggregator_names())
    for (auto const& [before, mix] : mix_names()) {
      Defence const defence{aggregator, mix};
      CHECK(name_of(defence) == (mix == MixKind::none ? rule : before + '+' + rule));
      CHECK(defence_named(name_of(defence)) == defence);
    }
  for (char const* name : {"", "+", "krum+nnm", "none+krum", "nnm+", "nnm+nnm+krum", "Krum"})
    CHECK(defence_named(name) == std::nullopt);
}
