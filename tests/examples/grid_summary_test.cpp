#include "support/grid_summary.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include "support/catch.hpp"

using namespace fltr::examples;

namespace {

constexpr Defence krum{AggregatorKind::krum};
constexpr Defence bulyan{AggregatorKind::bulyan};
constexpr Defence geometric{AggregatorKind::geometric_median};

GridAxes small_axes() {
  return {.clicks = {Clicks::perfect, Clicks::informational},
          .attacks = {AttackKind::fang, AttackKind::inversion},
          .defences = {no_defence, krum, bulyan},
          .malicious = {1, 3},
          .seeds = {5, 6, 7},
          .can_run = [](Defence const& defence, std::uint32_t assumed) { return defence != bulyan || assumed < 3; }};
}

/// FedAvg has .6 + seed/1000 without an attack. Losses do not depend on the seed, except those of Krum: seed 5 loses
/// .01 less, seed 7 .01 more.
GridResults made_up(GridAxes const& axes) {
  GridResults results;
  for (GridKey const& key : axes.trainings(1)) {
    double loss = 0;
    if (key.defence == krum) loss += 0.02 + 0.01 * (static_cast<double>(key.seed) - 6);
    if (key.defence == bulyan) loss += 0.001;
    if (key.attack != AttackKind::none) loss += (key.defence == no_defence ? 0.1 : 0.01) * key.malicious;
    if (key.attack == AttackKind::inversion) loss += 0.005;
    if (key.clicks == Clicks::informational) loss *= 2;
    results[key] = {.ndcg10 = 0.6 + static_cast<double>(key.seed) / 1000 - loss};
  }
  return results;
}

}  // namespace

TEST_CASE("A grid has every combination once, FedAvg without an attack first, and no defence that cannot run") {
  auto const axes = small_axes();
  auto const keys = axes.trainings(4);
  CHECK(std::set<GridKey>(keys.begin(), keys.end()).size() == keys.size());
  // By seed and behaviour: honest FedAvg, Krum at two assumptions, Bulyan at one; two attacks against FedAvg and Krum
  // with 1 and 3 clients, and against Bulyan with 1.
  CHECK(keys.size() == 3 * 2 * (1 + 2 + 1 + 2 * (2 + 2 + 1)));
  CHECK(keys[0] == axes.honest(4, 5, Clicks::perfect, no_defence, 3));
  CHECK(keys[1] == axes.honest(4, 5, Clicks::informational, no_defence, 1));
  CHECK(std::ranges::is_sorted(keys, {}, &GridKey::seed));
  CHECK(std::ranges::none_of(keys, [](GridKey const& key) { return key.defence == bulyan && key.malicious == 3; }));
}

TEST_CASE("Defences assume the true number of malicious clients unless another one is given") {
  auto axes = small_axes();
  CHECK(axes.attacked(1, 1, Clicks::perfect, krum, AttackKind::fang, 3).assumed == 3);
  CHECK(axes.honest(1, 1, Clicks::perfect, krum, 3).assumed == 3);
  CHECK(axes.attacked(1, 1, Clicks::perfect, geometric, AttackKind::fang, 3).assumed == 0);
  CHECK(axes.assumed_by({AggregatorKind::geometric_median, MixKind::nnm}, 3) == 3);
  axes.assumed = 2;
  CHECK(axes.attacked(1, 1, Clicks::perfect, krum, AttackKind::fang, 3).assumed == 2);
  CHECK(axes.attacked(1, 1, Clicks::perfect, no_defence, AttackKind::fang, 3).assumed == 0);
}

TEST_CASE("An estimate is the mean with the interval of Student's t-distribution") {
  CHECK(estimate({}).runs == 0);
  CHECK(std::isnan(estimate({}).mean));
  CHECK(estimate({0.5}).mean == 0.5);
  CHECK(std::isnan(estimate({0.5}).low));
  // Standard deviation 1, three values: 4.302653 / sqrt(3) on each side.
  auto const three = estimate({1, 2, 3});
  CHECK(three.mean == 2);
  CHECK(three.low == Approx(2 - 2.484138).epsilon(1e-6));
  CHECK(three.high == Approx(2 + 2.484138).epsilon(1e-6));
}

TEST_CASE("Cost, damage and loss compare runs of the same seed") {
  auto const axes = small_axes();
  auto const results = made_up(axes);
  GridSummary const summary(axes, results);
  CHECK(summary.reference(Clicks::perfect) == Approx(0.606));
  auto const cost = summary.cost(Clicks::perfect, krum, 3);
  CHECK(cost.runs == 3);
  CHECK(cost.mean == Approx(0.02));
  CHECK(cost.high == Approx(0.02 + 0.02484138));  // deviation .01
  auto const damage = summary.damage(Clicks::perfect, krum, AttackKind::fang, 3);
  CHECK(damage.mean == Approx(0.03));
  CHECK(damage.low == Approx(0.03));  // the same in every run
  CHECK(summary.loss(Clicks::perfect, krum, AttackKind::fang, 3).mean == Approx(0.05));
  CHECK(summary.loss(Clicks::informational, no_defence, AttackKind::inversion, 3).mean == Approx(0.61));
  CHECK(summary.loss(Clicks::perfect, bulyan, AttackKind::fang, 3).runs == 0);
}

TEST_CASE("The worst case is the attack with the largest mean loss") {
  auto const axes = small_axes();
  auto const results = made_up(axes);
  GridSummary const summary(axes, results);
  auto const worst = summary.worst(krum, {}, {});
  REQUIRE(worst);
  CHECK(worst->clicks == Clicks::informational);
  CHECK(worst->attack == AttackKind::inversion);
  CHECK(worst->malicious == 3);
  CHECK(worst->loss.mean == Approx(0.11));
  CHECK(summary.worst(krum, Clicks::perfect, 1)->loss.mean == Approx(0.035));
  CHECK(summary.worst(bulyan, {}, {})->malicious == 1);
  CHECK_FALSE(summary.worst(bulyan, {}, 3));
  auto const cost = summary.highest_cost(krum);
  REQUIRE(cost);
  CHECK(cost->clicks == Clicks::informational);
  CHECK(cost->loss.mean == Approx(0.04));
  CHECK(summary.highest_cost(krum, Clicks::perfect)->loss.mean == Approx(0.02));
}

TEST_CASE("The ranking has the smallest worst case first and leaves out defences that cannot always run") {
  auto const axes = small_axes();
  auto const results = made_up(axes);
  GridSummary const summary(axes, results);
  CHECK(summary.runs(bulyan, 1));
  CHECK_FALSE(summary.runs(bulyan, 3));
  CHECK_FALSE(summary.runs(bulyan));
  auto const ranking = summary.ranking();
  REQUIRE(ranking.size() == 2);
  CHECK(ranking[0].defence == krum);
  CHECK(ranking[1].defence == no_defence);
  auto const with_one = summary.ranking(1);
  REQUIRE(with_one.size() == 3);
  CHECK(with_one[0].defence == bulyan);
  CHECK(with_one[0].loss.mean == Approx(0.032));
  CHECK(summary.ranking(3).size() == 2);
  auto const difference = summary.difference(ranking[0], ranking[1]);
  CHECK(difference.runs == 3);
  CHECK(difference.mean == Approx(0.61 - 0.11));
  CHECK(difference.high == Approx(0.5 + 0.0496828));  // the deviation of Krum's loss is .02
}

TEST_CASE("A cost is within the limit if all intervals are below it, and above if one interval is above it") {
  auto const axes = small_axes();
  auto const results = made_up(axes);
  GridSummary const summary(axes, results);
  CHECK(summary.cost_verdict(no_defence, 0.003) == CostVerdict::within);
  CHECK(summary.cost_verdict(bulyan, 0.003) == CostVerdict::within);  // .002 with informational clicks
  CHECK(summary.cost_verdict(bulyan, 0.0015) == CostVerdict::above);
  CHECK(summary.cost_verdict(krum, 0.003) == CostVerdict::undecided);  // .04 +- .05
  CHECK(summary.cost_verdict(krum, 0.1) == CostVerdict::within);
  auto one_run = axes;
  one_run.seeds = {6};
  CHECK(GridSummary(one_run, results).cost_verdict(no_defence, 0.003) == CostVerdict::undecided);
}

TEST_CASE("Trainings that are not finished do not count") {
  auto const axes = small_axes();
  auto results = made_up(axes);
  results.erase(axes.attacked(1, 6, Clicks::perfect, krum, AttackKind::fang, 3));
  results[axes.honest(1, 7, Clicks::perfect, no_defence, 0)].ndcg10 = std::nan("");
  GridSummary const summary(axes, results);
  auto const loss = summary.loss(Clicks::perfect, krum, AttackKind::fang, 3);
  CHECK(loss.runs == 1);
  CHECK(loss.mean == Approx(0.04));
  GridResults const none;
  CHECK(GridSummary(axes, none).ranking().empty());
  CHECK(GridSummary(axes, none).cost_verdict(krum, 1) == CostVerdict::undecided);
}
