#include "grid_summary.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include <fltr/metrics/significance.hpp>
#include <fltr/metrics/summary_statistics.hpp>

namespace fltr::examples {

bool uses_assumed(Defence const& defence) noexcept {
  if (defence.mix == MixKind::nnm) return true;
  switch (defence.aggregator) {
    case AggregatorKind::krum:
    case AggregatorKind::multi_krum:
    case AggregatorKind::trimmed_mean:
    case AggregatorKind::median:
    case AggregatorKind::bulyan:
    case AggregatorKind::mda:
    case AggregatorKind::meamed:
    case AggregatorKind::on_alarm:
      return true;
    case AggregatorKind::fedavg:
    case AggregatorKind::geometric_median:
    case AggregatorKind::centered_clipping:
    case AggregatorKind::fl_detector:
      break;
  }
  return false;
}

std::uint32_t GridAxes::assumed_by(Defence const& defence, std::uint32_t malicious_clients) const {
  return uses_assumed(defence) ? assumed.value_or(malicious_clients) : 0;
}

GridKey GridAxes::honest(std::uint64_t fold, std::uint64_t seed, Clicks behaviour, Defence const& defence,
                         std::uint32_t malicious_clients) const {
  return {fold, seed, behaviour, defence, AttackKind::none, 0, assumed_by(defence, malicious_clients)};
}

GridKey GridAxes::attacked(std::uint64_t fold, std::uint64_t seed, Clicks behaviour, Defence const& defence,
                           AttackKind attack, std::uint32_t malicious_clients) const {
  return {fold, seed, behaviour, defence, attack, malicious_clients, assumed_by(defence, malicious_clients)};
}

std::vector<GridKey> GridAxes::trainings(std::uint64_t fold) const {
  std::vector<GridKey> keys;
  std::set<GridKey> listed;
  auto const add = [&](GridKey const& key) {
    if (can_run(key.defence, key.assumed) && listed.insert(key).second) keys.push_back(key);
  };
  for (std::uint64_t const seed : seeds) {
    for (Clicks const behaviour : clicks) add(honest(fold, seed, behaviour, no_defence, 0));
    for (Clicks const behaviour : clicks)
      for (Defence const& defence : defences)
        for (std::uint32_t const m : malicious) add(honest(fold, seed, behaviour, defence, m));
    for (Clicks const behaviour : clicks)
      for (AttackKind const attack : attacks)
        for (std::uint32_t const m : malicious)
          for (Defence const& defence : defences) add(attacked(fold, seed, behaviour, defence, attack, m));
  }
  return keys;
}

Estimate estimate(std::vector<double> const& differences) {
  Estimate result{.runs = differences.size()};
  if (differences.empty()) return result;
  result.mean = mean(differences);
  if (differences.size() < 2) return result;
  auto const test = paired_t_test(differences, std::vector<double>(differences.size()));
  result.mean = test.difference;
  result.low = test.low;
  result.high = test.high;
  return result;
}

std::vector<double> GridSummary::values(RunKey const& key,
                                        std::function<std::optional<double>(GridResult const&)> const& value) const {
  std::vector<double> found;
  for (std::uint64_t const fold : axes_.folds)
    for (std::uint64_t const seed : axes_.seeds) {
      auto const result = results_.find(key(fold, seed));
      if (result == results_.end()) continue;
      if (auto const number = value(result->second); number && std::isfinite(*number)) found.push_back(*number);
    }
  return found;
}

std::vector<double> GridSummary::differences(RunKey const& a, RunKey const& b) const {
  std::vector<double> found;
  for (std::uint64_t const fold : axes_.folds)
    for (std::uint64_t const seed : axes_.seeds) {
      auto const first = results_.find(a(fold, seed));
      auto const second = results_.find(b(fold, seed));
      if (first == results_.end() || second == results_.end()) continue;
      double const difference = first->second.ndcg10 - second->second.ndcg10;
      if (std::isfinite(difference)) found.push_back(difference);
    }
  return found;
}

GridSummary::RunKey GridSummary::honest(Clicks clicks, Defence const& defence, std::uint32_t malicious) const {
  return [=, this](std::uint64_t fold, std::uint64_t seed) {
    return axes_.honest(fold, seed, clicks, defence, malicious);
  };
}

GridSummary::RunKey GridSummary::attacked(Clicks clicks, Defence const& defence, AttackKind attack,
                                          std::uint32_t malicious) const {
  return [=, this](std::uint64_t fold, std::uint64_t seed) {
    return axes_.attacked(fold, seed, clicks, defence, attack, malicious);
  };
}

double GridSummary::reference(Clicks clicks) const {
  return mean(values(honest(clicks, no_defence, 0), [](GridResult const& result) { return result.ndcg10; }));
}

Estimate GridSummary::cost(Clicks clicks, Defence const& defence, std::uint32_t malicious) const {
  return estimate(differences(honest(clicks, no_defence, 0), honest(clicks, defence, malicious)));
}

Estimate GridSummary::damage(Clicks clicks, Defence const& defence, AttackKind attack, std::uint32_t malicious) const {
  return estimate(differences(honest(clicks, defence, malicious), attacked(clicks, defence, attack, malicious)));
}

Estimate GridSummary::loss(Clicks clicks, Defence const& defence, AttackKind attack, std::uint32_t malicious) const {
  return estimate(differences(honest(clicks, no_defence, 0), attacked(clicks, defence, attack, malicious)));
}

std::optional<WorstCase> GridSummary::worst(Defence const& defence, std::optional<Clicks> clicks,
                                            std::optional<std::uint32_t> malicious) const {
  std::optional<WorstCase> found;
  for (Clicks const behaviour : axes_.clicks) {
    if (clicks && *clicks != behaviour) continue;
    for (std::uint32_t const m : axes_.malicious) {
      if (malicious && *malicious != m) continue;
      for (AttackKind const attack : axes_.attacks) {
        Estimate const here = loss(behaviour, defence, attack, m);
        if (here.runs > 0 && (!found || here.mean > found->loss.mean)) found = {defence, behaviour, attack, m, here};
      }
    }
  }
  return found;
}

std::optional<WorstCase> GridSummary::highest_cost(Defence const& defence, std::optional<Clicks> clicks) const {
  std::optional<WorstCase> found;
  for (Clicks const behaviour : axes_.clicks) {
    if (clicks && *clicks != behaviour) continue;
    for (std::uint32_t const m : axes_.malicious) {
      Estimate const here = cost(behaviour, defence, m);
      if (here.runs > 0 && (!found || here.mean > found->loss.mean))
        found = {defence, behaviour, AttackKind::none, m, here};
    }
  }
  return found;
}

bool GridSummary::possible(Defence const& defence, std::optional<std::uint32_t> malicious) const {
  return std::ranges::all_of(axes_.malicious, [&](std::uint32_t m) {
    return (malicious && *malicious != m) || axes_.can_run(defence, axes_.assumed_by(defence, m));
  });
}

bool GridSummary::failed(Defence const& defence, std::optional<std::uint32_t> malicious) const {
  return std::ranges::any_of(axes_.malicious, [&](std::uint32_t m) {
    if (malicious && *malicious != m) return false;
    return std::ranges::any_of(axes_.clicks, [&](Clicks clicks) {
      return failure(clicks, defence, AttackKind::none, m) ||
             std::ranges::any_of(axes_.attacks,
                                 [&](AttackKind attack) { return failure(clicks, defence, attack, m).has_value(); });
    });
  });
}

std::optional<std::string> GridSummary::failure(Clicks clicks, Defence const& defence, AttackKind attack,
                                                std::uint32_t malicious) const {
  auto const key =
      attack == AttackKind::none ? honest(clicks, defence, malicious) : attacked(clicks, defence, attack, malicious);
  for (std::uint64_t const fold : axes_.folds)
    for (std::uint64_t const seed : axes_.seeds)
      if (auto const found = failures_.find(key(fold, seed)); found != failures_.end()) return found->second;
  return std::nullopt;
}

std::vector<WorstCase> GridSummary::ranking(std::optional<std::uint32_t> malicious) const {
  std::vector<WorstCase> cases;
  for (Defence const& defence : axes_.defences)
    if (runs(defence, malicious))
      if (auto const found = worst(defence, std::nullopt, malicious)) cases.push_back(*found);
  std::ranges::stable_sort(cases, {}, [](WorstCase const& one) { return one.loss.mean; });
  return cases;
}

Estimate GridSummary::difference(WorstCase const& a, WorstCase const& b) const {
  // The losses refer to FedAvg under the same clicks.
  std::vector<double> found;
  for (std::uint64_t const fold : axes_.folds)
    for (std::uint64_t const seed : axes_.seeds) {
      auto const loss_of = [&](WorstCase const& one) -> std::optional<double> {
        auto const reference = results_.find(axes_.honest(fold, seed, one.clicks, no_defence, 0));
        auto const result =
            results_.find(axes_.attacked(fold, seed, one.clicks, one.defence, one.attack, one.malicious));
        if (reference == results_.end() || result == results_.end()) return std::nullopt;
        return reference->second.ndcg10 - result->second.ndcg10;
      };
      auto const of_a = loss_of(a);
      auto const of_b = loss_of(b);
      if (of_a && of_b && std::isfinite(*of_b - *of_a)) found.push_back(*of_b - *of_a);
    }
  return estimate(found);
}

CostVerdict GridSummary::cost_verdict(Defence const& defence, double limit) const {
  CostVerdict verdict = CostVerdict::within;
  for (Clicks const behaviour : axes_.clicks)
    for (std::uint32_t const m : axes_.malicious) {
      if (!possible(defence, m)) continue;
      Estimate const here = cost(behaviour, defence, m);
      if (failure(behaviour, defence, AttackKind::none, m)) {
        verdict = CostVerdict::undecided;
        continue;
      }
      if (here.low > limit) return CostVerdict::above;
      if (!(here.high <= limit)) verdict = CostVerdict::undecided;  // also without an interval
    }
  return verdict;
}

}  // namespace fltr::examples
