#include "grid_findings.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <optional>
#include <set>
#include <utility>

#include <fmt/core.h>

#include "table.hpp"
#include "text.hpp"

namespace fltr::examples {

namespace {

/// A value of each run, in the order of folds and seeds. Empty if a training is missing.
using Values = std::vector<double>;

class Tests {
 public:
  explicit Tests(GridSummary const& summary) : summary_(summary) {}

  [[nodiscard]] std::vector<Finding> all() && {
    auto const& axes = summary_.axes();
    for (Clicks const clicks : axes.clicks)
      for (std::uint32_t const m : axes.malicious) {
        about_attacks(clicks, m);
        about_rules(clicks, m);
      }
    std::ranges::stable_sort(
        findings_, {}, [&](Finding const& f) { return std::ranges::find(order_, f.hypothesis) - order_.begin(); });
    return std::move(findings_);
  }

 private:
  void about_attacks(Clicks clicks, std::uint32_t m) {
    Values const poisoned = ndcg(clicks, AggregatorKind::fedavg, AttackKind::click_poisoning, m);
    if (auto const fewer = next_below(m))
      for (auto const& [attack, name] :
           {std::pair{AttackKind::click_poisoning, "click poisoning"}, std::pair{AttackKind::fang, "Fang"}})
        add(fmt::format("more attackers of FedAvg do more damage: {}", name), clicks, m,
            ndcg(clicks, AggregatorKind::fedavg, attack, *fewer), ndcg(clicks, AggregatorKind::fedavg, attack, m));
    if (clicks != Clicks::perfect)
      add("click poisoning damages FedAvg more than with perfect clicks", clicks, m, poisoning_damage(clicks, m),
          poisoning_damage(Clicks::perfect, m));
    if (clicks == Clicks::informational)
      add("click poisoning damages FedAvg more than with navigational clicks", clicks, m, poisoning_damage(clicks, m),
          poisoning_damage(Clicks::navigational, m));
    add("Little Is Enough does less damage to FedAvg than click poisoning", clicks, m,
        ndcg(clicks, AggregatorKind::fedavg, AttackKind::little_is_enough, m), poisoned);
    for (auto const& [rule, name] :
         {std::pair{AggregatorKind::krum, "Krum"}, std::pair{AggregatorKind::multi_krum, "Multi-Krum"}})
      add(fmt::format("{} helps against click poisoning", name), clicks, m,
          ndcg(clicks, rule, AttackKind::click_poisoning, m), poisoned);
  }

  void about_rules(Clicks clicks, std::uint32_t m) {
    // Damage leaves out what the rule costs without an attack.
    add("Fang damages Krum", clicks, m, honest(clicks, AggregatorKind::krum, m),
        ndcg(clicks, AggregatorKind::krum, AttackKind::fang, m));
    add("under Fang, Krum is worse than FedAvg", clicks, m, ndcg(clicks, AggregatorKind::fedavg, AttackKind::fang, m),
        ndcg(clicks, AggregatorKind::krum, AttackKind::fang, m));
    add("Fang does more damage to Krum and Multi-Krum than to trimmed mean and median", clicks, m,
        mean_of(damage(clicks, AggregatorKind::krum, AttackKind::fang, m),
                damage(clicks, AggregatorKind::multi_krum, AttackKind::fang, m)),
        mean_of(damage(clicks, AggregatorKind::trimmed_mean, AttackKind::fang, m),
                damage(clicks, AggregatorKind::median, AttackKind::fang, m)));
    for (auto const& [rule, name] :
         {std::pair{AggregatorKind::krum, "Krum"}, std::pair{AggregatorKind::median, "the median"}})
      add(fmt::format("{} costs nDCG without an attack", name), clicks, m, honest(clicks, AggregatorKind::fedavg, m),
          honest(clicks, rule, m));
  }

  /// Adds the test of mean(a − b) > 0, if both values are there.
  void add(std::string const& hypothesis, Clicks clicks, std::uint32_t m, Values const& a, Values const& b) {
    if (a.empty() || a.size() != b.size()) return;
    Values differences(a.size());
    std::ranges::transform(a, b, differences.begin(), std::minus<>());
    findings_.push_back({hypothesis, clicks, m, estimate(differences)});
    if (std::ranges::find(order_, hypothesis) == order_.end()) order_.push_back(hypothesis);
  }

  [[nodiscard]] Values ndcg(Clicks clicks, AggregatorKind rule, AttackKind attack, std::uint32_t m) const {
    return complete([&](auto fold, auto seed) {
      return summary_.axes().attacked(fold, seed, clicks, Defence{.aggregator = rule}, attack, m);
    });
  }
  [[nodiscard]] Values honest(Clicks clicks, AggregatorKind rule, std::uint32_t m) const {
    return complete([&](auto fold, auto seed) {
      return summary_.axes().honest(fold, seed, clicks, Defence{.aggregator = rule}, m);
    });
  }
  [[nodiscard]] Values damage(Clicks clicks, AggregatorKind rule, AttackKind attack, std::uint32_t m) const {
    Values out = honest(clicks, rule, m);
    Values const attacked = ndcg(clicks, rule, attack, m);
    if (out.size() != attacked.size()) return {};
    std::ranges::transform(out, attacked, out.begin(), std::minus<>());
    return out;
  }
  [[nodiscard]] Values poisoning_damage(Clicks clicks, std::uint32_t m) const {
    return damage(clicks, AggregatorKind::fedavg, AttackKind::click_poisoning, m);
  }
  [[nodiscard]] static Values mean_of(Values a, Values const& b) {
    if (a.size() != b.size()) return {};
    std::ranges::transform(a, b, a.begin(), [](double x, double y) { return (x + y) / 2; });
    return a;
  }
  [[nodiscard]] Values complete(std::function<GridKey(std::uint64_t, std::uint64_t)> const& key) const {
    Values values = summary_.values(key, [](GridResult const& result) { return std::optional(result.ndcg10); });
    if (values.size() != summary_.run_count()) values.clear();
    return values;
  }
  /// The next smaller number of malicious clients of the grid.
  [[nodiscard]] std::optional<std::uint32_t> next_below(std::uint32_t m) const {
    std::optional<std::uint32_t> best;
    for (std::uint32_t const other : summary_.axes().malicious)
      if (other < m && (!best || other > *best)) best = other;
    return best;
  }

  GridSummary const& summary_;
  std::vector<Finding> findings_;
  std::vector<std::string> order_;  // of the hypotheses
};

}  // namespace

std::vector<Finding> grid_findings(GridSummary const& summary) { return Tests(summary).all(); }

std::string_view verdict_of(Estimate const& difference) {
  if (!(difference.low <= difference.high)) return "-";  // NaN
  if (difference.low > 0) return "holds";
  return difference.high < 0 ? "does not hold" : "undecided";
}

std::string findings_table(std::vector<Finding> const& findings, bool utf8) {
  if (findings.empty()) return "";
  std::set<std::uint32_t> counts;
  for (Finding const& f : findings) counts.insert(f.malicious);
  std::vector<std::string> header{""};
  for (std::uint32_t const m : counts) header.push_back(fmt::format("m = {}", m));
  Table table(header);
  std::vector<std::string> hypotheses;  // of the rows of the table
  std::size_t first = 0;
  while (first < findings.size()) {
    Finding const& row = findings[first];
    std::vector<std::string> cells{"  " + name_of(row.clicks)};
    std::size_t next = first;
    for (std::uint32_t const m : counts) {
      bool const same = next < findings.size() && findings[next].hypothesis == row.hypothesis &&
                        findings[next].clicks == row.clicks && findings[next].malicious == m;
      cells.push_back(
          same ? fmt::format("{} {:+.3f}", verdict_of(findings[next].difference), findings[next].difference.mean) : "");
      if (same) ++next;
    }
    table.add(cells);
    hypotheses.push_back(row.hypothesis);
    first = next;
  }
  // Each hypothesis stands on a line of its own, above its rows.
  auto const lines = split_text(table.text(utf8), '\n');
  std::string text =
      "findings of Wang (2024, chapter 5) as hypotheses: the difference in nDCG@10, and whether its\n"
      "95 % interval is above 0 (holds), below 0 (does not hold), or neither (undecided)\n";
  text += lines[0] + '\n' + lines[1] + '\n';
  for (std::size_t i = 0; i < hypotheses.size(); ++i) {
    if (i == 0 || hypotheses[i] != hypotheses[i - 1]) text += hypotheses[i] + '\n';
    text += lines[i + 2] + '\n';
  }
  return text;
}

std::string findings_csv(std::vector<Finding> const& findings) {
  std::string out = "hypothesis,clicks,malicious,runs,difference,difference_low,difference_high,verdict\n";
  for (Finding const& f : findings)
    out += fmt::format("\"{}\",{},{},{},{},{},{},{}\n", f.hypothesis, name_of(f.clicks), f.malicious, f.difference.runs,
                       shortest(f.difference.mean), shortest(f.difference.low), shortest(f.difference.high),
                       verdict_of(f.difference));
  return out;
}

}  // namespace fltr::examples
