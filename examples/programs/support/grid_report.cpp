#include "grid_report.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>
#include <vector>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <fltr/metrics/summary_statistics.hpp>

#include "table.hpp"
#include "text.hpp"

namespace fltr::examples {

namespace {

/// "0.123"; "-" for NaN.
std::string decimals(double value) {
  if (std::isnan(value)) return "-";
  std::string const text = fmt::format("{:.3f}", value);
  return text == "-0.000" ? "0.000" : text;
}

/// ".123", "−.002": without the zero before the point, for which a narrow cell has no room.
std::string short_decimals(double value) {
  std::string text = decimals(std::abs(value));
  if (text.starts_with("0.")) text.erase(0, 1);
  return (decimals(value).starts_with("-") && !std::isnan(value) ? "−" : "") + text;
}

std::string interval(Estimate const& estimate) {
  if (std::isnan(estimate.low)) return "";
  return fmt::format("[{}, {}]", decimals(estimate.low), decimals(estimate.high));
}

std::string short_interval(Estimate const& estimate) {
  if (std::isnan(estimate.low)) return "";
  return fmt::format("[{}, {}]", short_decimals(estimate.low), short_decimals(estimate.high));
}

/// "a", "a and b", "a, b and c".
std::string enumerated(std::vector<std::string> const& words) {
  if (words.size() < 2) return join(words, "");
  return join({words.begin(), words.end() - 1}, ", ") + " and " + words.back();
}

std::string runs_text(std::size_t runs) { return fmt::format("{} run{}", runs, runs == 1 ? "" : "s"); }

/// The numbers of malicious clients with which a defence cannot run.
std::vector<std::string> impossible_counts(GridSummary const& summary, Defence const& defence) {
  std::vector<std::string> counts;
  for (std::uint32_t const m : summary.axes().malicious)
    if (!summary.possible(defence, m)) counts.push_back(std::to_string(m));
  return counts;
}

/// "1 to 4", "1 or 3".
std::string counts_text(std::vector<std::uint32_t> const& counts) {
  if (counts.size() == counts.back() - counts.front() + 1)
    return fmt::format("{} to {}", counts.front(), counts.back());
  std::vector<std::string> words;
  for (std::uint32_t const m : counts) words.push_back(std::to_string(m));
  return join({words.begin(), words.end() - 1}, ", ") + " or " + words.back();
}

/// The losses to the worst attacks by number of malicious clients; without `clicks`, over all behaviours.
std::string loss_table(GridSummary const& summary, std::optional<Clicks> clicks, bool utf8) {
  auto const& axes = summary.axes();
  std::vector<std::string> header{"aggregator", "no attack"};
  for (std::uint32_t const m : axes.malicious) header.push_back(fmt::format("m = {}", m));
  header.emplace_back("worst attack");
  Table table(header);
  for (Defence const& defence : axes.defences) {
    auto const cost = summary.highest_cost(defence, clicks);
    std::vector<std::string> row{name_of(defence), cost ? decimals(cost->loss.mean) : "-"};
    for (std::uint32_t const m : axes.malicious) {
      auto const worst = summary.worst(defence, clicks, m);
      row.push_back(!summary.possible(defence, m) ? "n/a"
                    : summary.failed(defence, m)  ? "failed"
                    : worst                       ? decimals(worst->loss.mean)
                                                  : "-");
    }
    auto const worst = summary.worst(defence, clicks, std::nullopt);
    row.push_back(worst ? fmt::format("{}, m = {}{}", name_of(worst->attack), worst->malicious,
                                      clicks ? "" : ", " + name_of(worst->clicks))
                        : "-");
    table.add(row);
  }
  return table.text(utf8);
}

/// All defences that have a result: the ranking, then those that cannot run with every number of malicious clients.
std::vector<WorstCase> all_cases(GridSummary const& summary) {
  auto cases = summary.ranking();
  for (Defence const& defence : summary.axes().defences)
    if (!summary.runs(defence))
      if (auto const worst = summary.worst(defence, std::nullopt, std::nullopt)) cases.push_back(*worst);
  return cases;
}

std::string interval_table(GridSummary const& summary, bool utf8) {
  Table table({"aggregator", "worst loss", "95 % interval", "highest cost", "95 % interval"});
  for (WorstCase const& one : all_cases(summary)) {
    auto const cost = summary.highest_cost(one.defence);
    table.add({name_of(one.defence), decimals(one.loss.mean), interval(one.loss),
               cost ? decimals(cost->loss.mean) : "-", cost ? interval(cost->loss) : ""});
  }
  return table.text(utf8);
}

struct Detection {
  Defence defence;
  std::uint32_t malicious = 0;
  double recall = 0;        ///< NaN without malicious clients
  double false_alarms = 0;  ///< honest clients that were flagged, mean over runs
  double alarms = 0;        ///< share of the runs with a flagged client
  std::size_t runs = 0;
};

/// Over all attacks, behaviours and runs; without an attack for m = 0.
std::optional<Detection> detection(GridSummary const& summary, Defence const& defence, std::uint32_t malicious) {
  auto const& axes = summary.axes();
  std::vector<double> caught;
  std::vector<double> false_alarms;
  auto const add = [&](auto const& key) {
    for (double const value : summary.values(key, [](GridResult const& r) { return r.caught; }))
      caught.push_back(value);
    for (double const value : summary.values(key, [](GridResult const& r) { return r.false_alarms; }))
      false_alarms.push_back(value);
  };
  for (Clicks const clicks : axes.clicks) {
    if (malicious == 0)
      add([&](std::uint64_t fold, std::uint64_t seed) {
        return axes.honest(fold, seed, clicks, defence, axes.malicious.front());
      });
    else
      for (AttackKind const attack : axes.attacks)
        add([&](std::uint64_t fold, std::uint64_t seed) {
          return axes.attacked(fold, seed, clicks, defence, attack, malicious);
        });
  }
  if (caught.empty() || caught.size() != false_alarms.size()) return std::nullopt;
  double alarms = 0;
  for (std::size_t i = 0; i < caught.size(); ++i) alarms += caught[i] + false_alarms[i] > 0 ? 1 : 0;
  return Detection{.defence = defence,
                   .malicious = malicious,
                   .recall = malicious == 0 ? std::nan("") : mean(caught) / malicious,
                   .false_alarms = mean(false_alarms),
                   .alarms = alarms / static_cast<double>(caught.size()),
                   .runs = caught.size()};
}

std::vector<Detection> detections(GridSummary const& summary) {
  std::vector<Detection> found;
  for (Defence const& defence : summary.axes().defences) {
    if (!detects(defence.aggregator)) continue;
    std::vector<std::uint32_t> counts{0};
    counts.insert(counts.end(), summary.axes().malicious.begin(), summary.axes().malicious.end());
    for (std::uint32_t const m : counts)
      if (auto const one = detection(summary, defence, m)) found.push_back(*one);
  }
  return found;
}

std::string detection_table(GridSummary const& summary, bool utf8) {
  auto const found = detections(summary);
  if (found.empty()) return "";
  Table table({"aggregator", "m", "recall", "false alarms", "runs with an alarm", "runs"});
  for (Detection const& one : found)
    table.add({name_of(one.defence), std::to_string(one.malicious), decimals(one.recall), decimals(one.false_alarms),
               decimals(one.alarms), std::to_string(one.runs)});
  return "\nflagged clients, mean over all attacks, behaviours and runs\n" + table.text(utf8);
}

/// "With 2 malicious clients of 10, krum is the best in the worst case: …"
std::string best_sentence(GridSummary const& summary, std::optional<std::uint32_t> malicious, std::size_t clients) {
  auto const& counts = summary.axes().malicious;
  std::string const range_of_m = malicious ? std::to_string(*malicious) : counts_text(counts);
  std::string const start =
      fmt::format("With {} malicious client{} of {}", range_of_m, malicious == std::uint32_t{1} ? "" : "s", clients);
  auto const ranking = summary.ranking(malicious);
  if (ranking.empty()) return start + ", no aggregator can run.";
  WorstCase const& best = ranking.front();
  std::string const range = interval(best.loss);
  std::string text = fmt::format("{}, {} is the best in the worst case: it loses {} nDCG@10{} to {} with {}{} clicks.",
                                 start, name_of(best.defence), decimals(best.loss.mean),
                                 range.empty() ? "" : fmt::format(", 95 % interval {},", range), name_of(best.attack),
                                 malicious ? "" : fmt::format("m = {} and ", best.malicious), name_of(best.clicks));
  std::vector<std::string> similar;
  for (std::size_t i = 1; i < ranking.size(); ++i)
    if (!(summary.difference(best, ranking[i]).low > 0)) similar.push_back(name_of(ranking[i].defence));
  if (ranking.size() > 1 && best.loss.runs > 1)
    text += similar.empty() ? " Every other aggregator loses more, each with 95 % confidence."
                            : fmt::format(" With {}, it cannot be distinguished from {}.", runs_text(best.loss.runs),
                                          enumerated(similar));
  return text;
}

std::string left_out_sentence(GridSummary const& summary) {
  std::vector<std::string> parts;
  for (Defence const& defence : summary.axes().defences)
    if (!summary.possible(defence))
      parts.push_back(fmt::format("{} with m = {}", name_of(defence), enumerated(impossible_counts(summary, defence))));
  return parts.empty() ? "" : "Cannot run with so few clients: " + enumerated(parts) + ".";
}

std::string failed_sentence(GridSummary const& summary) {
  std::vector<std::string> names;
  for (Defence const& defence : summary.axes().defences)
    if (summary.failed(defence)) names.push_back(name_of(defence));
  if (names.empty()) return "";
  return fmt::format("Not compared, because a training failed: {}.", enumerated(names));
}

struct CostLists {
  std::vector<std::string> within;
  std::vector<std::string> undecided;
  std::vector<std::string> above;
};

CostLists cost_lists(GridSummary const& summary) {
  CostLists lists;
  for (Defence const& defence : summary.axes().defences) {
    if (!summary.highest_cost(defence)) continue;
    switch (summary.cost_verdict(defence, cost_limit)) {
      case CostVerdict::within:
        lists.within.push_back(name_of(defence));
        break;
      case CostVerdict::undecided:
        lists.undecided.push_back(name_of(defence));
        break;
      case CostVerdict::above:
        lists.above.push_back(name_of(defence));
        break;
    }
  }
  return lists;
}

std::string cost_sentence(GridSummary const& summary) {
  auto const [within, undecided, above] = cost_lists(summary);
  if (summary.run_count() < 2)
    return fmt::format(
        "Which aggregators cost at most {} nDCG@10 without an attack: one run has no interval, use "
        "--repeats.",
        shortest(cost_limit));
  std::string text =
      fmt::format("Cost at most {} nDCG@10 without an attack under all behaviours, with 95 % confidence: {}.",
                  shortest(cost_limit), within.empty() ? "none" : enumerated(within));
  if (!above.empty()) text += fmt::format(" More: {}.", enumerated(above));
  if (!undecided.empty())
    text += fmt::format(" Undecided with {}: {}.", runs_text(summary.run_count()), enumerated(undecided));
  return text;
}

/// A cell of the heat map.
HeatMapCell cell_of(Estimate const& estimate, bool possible, std::optional<std::string> const& failure,
                    bool with_interval, std::string const& where) {
  if (!possible) return {.text = "n/a", .title = where + ": the aggregator needs more clients"};
  if (failure) return {.text = "failed", .title = where + ": " + *failure};
  if (estimate.runs == 0) return {.text = "-", .title = where + ": not finished"};
  std::string const range = interval(estimate);
  return {.value = estimate.mean,
          .text = short_decimals(estimate.mean),
          .below = with_interval ? short_interval(estimate) : "",
          .title = fmt::format("{}: {:.4f}{}, {}", where, estimate.mean, range.empty() ? "" : " " + range,
                               runs_text(estimate.runs))};
}

Json json_of(Estimate const& estimate, std::string const& name) {
  Json json = Json::object();
  json[name] = number_or_null(estimate.mean);
  json[name + "_low"] = number_or_null(estimate.low);
  json[name + "_high"] = number_or_null(estimate.high);
  return json;
}

}  // namespace

std::string grid_tables(GridSummary const& summary, bool utf8) {
  std::string text;
  for (Clicks const clicks : summary.axes().clicks)
    text += fmt::format("{} clicks: nDCG@10 lost to the worst attack, of {:.4f} with honest FedAvg\n{}\n",
                        name_of(clicks), summary.reference(clicks), loss_table(summary, clicks, utf8));
  if (summary.axes().clicks.size() > 1)
    text += "all behaviours: nDCG@10 lost to the worst attack\n" + loss_table(summary, std::nullopt, utf8) + '\n';
  return text + "worst loss to an attack, and highest cost without an attack, over " + runs_text(summary.run_count()) +
         '\n' + interval_table(summary, utf8) + detection_table(summary, utf8);
}

std::string grid_answers(GridSummary const& summary, std::size_t clients, std::size_t width) {
  std::vector<std::string> sentences;
  for (std::uint32_t const m : summary.axes().malicious) sentences.push_back(best_sentence(summary, m, clients));
  if (summary.axes().malicious.size() > 1) sentences.push_back(best_sentence(summary, std::nullopt, clients));
  if (summary.run_count() < 2)
    sentences.emplace_back("One run has no interval: use --repeats to see which differences are real.");
  sentences.push_back(left_out_sentence(summary));
  sentences.push_back(failed_sentence(summary));
  sentences.push_back(cost_sentence(summary));
  std::string text;
  for (std::string const& sentence : sentences)
    if (!sentence.empty()) text += "- " + join(wrapped(sentence, std::max<std::size_t>(width, 30) - 2), "\n  ") + '\n';
  return text;
}

HeatMap grid_heat_map(GridSummary const& summary, Clicks clicks, std::string const& setting) {
  auto const& axes = summary.axes();
  HeatMap map{
      .title = fmt::format("nDCG@10 lost to attacks, {} clicks", name_of(clicks)),
      .subtitle = fmt::format("{}, mean of {}", setting, runs_text(summary.run_count())),
      .legend = fmt::format("loss: nDCG@10 of honest FedAvg ({:.4f}) - nDCG@10 of the cell", summary.reference(clicks)),
      .columns = {},
      .rows = {}};
  for (Defence const& defence : axes.defences) map.columns.push_back(name_of(defence));
  auto const row = [&](std::string label, bool strong, auto const& make) {
    HeatMapRow next{std::move(label), {}, strong};
    for (Defence const& defence : axes.defences) next.cells.push_back(make(defence));
    map.rows.push_back(std::move(next));
  };
  auto const any_failure = [&](Defence const& defence, std::optional<std::uint32_t> m) -> std::optional<std::string> {
    if (!summary.failed(defence, m)) return std::nullopt;
    return "a training failed";
  };
  // A defence that cannot run with all numbers must not look better than one that can.
  auto const over_all_numbers = [&](Defence const& defence, HeatMapCell cell) {
    if (summary.possible(defence) || !std::isfinite(cell.value)) return cell;
    std::uint32_t most = 0;
    for (std::uint32_t const m : axes.malicious)
      if (summary.possible(defence, m)) most = m;
    cell.below = fmt::format("only m ≤ {}", most);
    return cell;
  };
  for (std::uint32_t const m : axes.malicious) {
    map.rows.push_back({fmt::format("{} malicious client{}", m, m == 1 ? "" : "s")});
    row("no attack", false, [&](Defence const& defence) {
      return cell_of(summary.cost(clicks, defence, m), summary.possible(defence, m),
                     summary.failure(clicks, defence, AttackKind::none, m), false,
                     fmt::format("{}, no attack, {} assumed", name_of(defence), axes.assumed_by(defence, m)));
    });
    for (AttackKind const attack : axes.attacks)
      row(name_of(attack), false, [&](Defence const& defence) {
        return cell_of(summary.loss(clicks, defence, attack, m), summary.possible(defence, m),
                       summary.failure(clicks, defence, attack, m), false,
                       fmt::format("{}, {}, {} malicious", name_of(defence), name_of(attack), m));
      });
    if (axes.attacks.size() > 1)
      row("worst attack", true, [&](Defence const& defence) {
        auto const worst = summary.worst(defence, clicks, m);
        return cell_of(worst ? worst->loss : Estimate{}, summary.possible(defence, m), any_failure(defence, m), false,
                       fmt::format("{}, worst attack: {}", name_of(defence), worst ? name_of(worst->attack) : "-"));
      });
  }
  map.rows.push_back({"all numbers of malicious clients, with 95 % interval"});
  row("cost without attack", true, [&](Defence const& defence) {
    auto const cost = summary.highest_cost(defence, clicks);
    return over_all_numbers(defence, cell_of(cost ? cost->loss : Estimate{}, true, any_failure(defence, {}), true,
                                             name_of(defence) + ", highest cost without an attack"));
  });
  row("worst attack", true, [&](Defence const& defence) {
    auto const worst = summary.worst(defence, clicks, std::nullopt);
    return over_all_numbers(defence, cell_of(worst ? worst->loss : Estimate{}, true, any_failure(defence, {}), true,
                                             worst ? fmt::format("{}, worst attack: {}, {} malicious", name_of(defence),
                                                                 name_of(worst->attack), worst->malicious)
                                                   : name_of(defence)));
  });
  return map;
}

std::string grid_means(GridSummary const& summary) {
  auto const& axes = summary.axes();
  std::string text =
      "clicks,aggregator,attack,malicious,assumed_malicious,runs,offline_ndcg10,loss,loss_low,loss_high,damage,damage_"
      "low,"
      "damage_high,target_rank,caught,false_alarms\n";
  auto const number = [](double value) { return std::isnan(value) ? "" : shortest(value); };
  auto const line = [&](Clicks clicks, Defence const& defence, AttackKind attack, std::uint32_t m) {
    bool const honest = attack == AttackKind::none;
    auto const key = [&](std::uint64_t fold, std::uint64_t seed) {
      return honest ? axes.honest(fold, seed, clicks, defence, m)
                    : axes.attacked(fold, seed, clicks, defence, attack, m);
    };
    auto const average = [&](auto const& value) { return mean(summary.values(key, value)); };
    Estimate const loss = honest ? summary.cost(clicks, defence, m) : summary.loss(clicks, defence, attack, m);
    Estimate const damage = honest ? Estimate{} : summary.damage(clicks, defence, attack, m);
    if (loss.runs == 0) return;
    text += fmt::format("{},{},{},{},{},{},{}", name_of(clicks), name_of(defence), name_of(attack), honest ? 0 : m,
                        axes.assumed_by(defence, m), loss.runs,
                        number(average([](GridResult const& r) { return r.ndcg10; })));
    for (Estimate const& one : {loss, damage})
      text += fmt::format(",{},{},{}", number(one.mean), number(one.low), number(one.high));
    text += fmt::format(",{},{},{}\n", number(average([](GridResult const& r) { return r.target_rank; })),
                        number(average([](GridResult const& r) { return r.caught; })),
                        number(average([](GridResult const& r) { return r.false_alarms; })));
  };
  for (Clicks const clicks : axes.clicks)
    for (Defence const& defence : axes.defences) {
      std::optional<std::uint32_t> assumed;
      for (std::uint32_t const m : axes.malicious)  // defences that assume nothing have one line
        if (!assumed || *assumed != axes.assumed_by(defence, m)) {
          assumed = axes.assumed_by(defence, m);
          line(clicks, defence, AttackKind::none, m);
        }
      for (AttackKind const attack : axes.attacks)
        for (std::uint32_t const m : axes.malicious) line(clicks, defence, attack, m);
    }
  return text;
}

Json grid_json(GridSummary const& summary) {
  Json json = Json::object();
  json["runs"] = summary.run_count();
  json["honest_offline_ndcg10"] = Json::object();
  for (Clicks const clicks : summary.axes().clicks)
    json["honest_offline_ndcg10"][name_of(clicks)] = number_or_null(summary.reference(clicks));
  json["aggregators"] = Json::array();
  for (WorstCase const& one : all_cases(summary)) {
    Json part{{"aggregator", name_of(one.defence)}, {"always_runs", summary.runs(one.defence)}};
    part["worst"] = {{"attack", name_of(one.attack)}, {"malicious", one.malicious}, {"clicks", name_of(one.clicks)}};
    part["worst"].update(json_of(one.loss, "loss"));
    if (auto const cost = summary.highest_cost(one.defence)) {
      part["cost"] = {{"assumed_malicious", summary.axes().assumed_by(one.defence, cost->malicious)},
                      {"clicks", name_of(cost->clicks)}};
      part["cost"].update(json_of(cost->loss, "cost"));
    }
    json["aggregators"].push_back(std::move(part));
  }
  auto const ranking = summary.ranking();
  json["best_in_worst_case"] = ranking.empty() ? Json() : Json(name_of(ranking.front().defence));
  json["not_distinguishable_from_best"] = Json::array();
  for (std::size_t i = 1; i < ranking.size(); ++i)
    if (!(summary.difference(ranking.front(), ranking[i]).low > 0))
      json["not_distinguishable_from_best"].push_back(name_of(ranking[i].defence));
  auto const lists = cost_lists(summary);
  json["cost_limit"] = cost_limit;
  json["cost_within_limit"] = lists.within;
  json["cost_undecided"] = lists.undecided;
  json["cost_above_limit"] = lists.above;
  json["failed"] = Json::array();
  for (auto const& [key, reason] : summary.failures())
    json["failed"].push_back({{"fold", key.fold},
                              {"seed", key.seed},
                              {"clicks", name_of(key.clicks)},
                              {"aggregator", name_of(key.defence)},
                              {"attack", name_of(key.attack)},
                              {"malicious", key.malicious},
                              {"assumed_malicious", key.assumed},
                              {"reason", reason}});
  json["detection"] = Json::array();
  for (Detection const& one : detections(summary))
    json["detection"].push_back({{"aggregator", name_of(one.defence)},
                                 {"malicious", one.malicious},
                                 {"recall", number_or_null(one.recall)},
                                 {"false_alarms", one.false_alarms},
                                 {"runs_with_alarm", one.alarms},
                                 {"runs", one.runs}});
  return json;
}

}  // namespace fltr::examples
