#include "unlearning_report.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <fltr/metrics/significance.hpp>

#include "table.hpp"
#include "test_line.hpp"
#include "text.hpp"

namespace fltr::examples {

namespace {

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

double median(std::vector<double> values) {
  if (values.empty()) return unknown;
  std::ranges::sort(values);
  std::size_t const n = values.size();
  return (values[(n - 1) / 2] + values[n / 2]) / 2;
}

std::optional<PairedTest> difference(std::vector<double> const& a, std::vector<double> const& b) {
  if (a.size() < 2 || a.size() != b.size()) return std::nullopt;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (!std::isfinite(a[i] - b[i])) return std::nullopt;  // no test query has a relevant document
  return paired_t_test(a, b);
}

/// The share of the gap between poisoned and retrained models that `unlearned` recovers. The interval is infinite for a
/// single run, and if the gap is not distinguishable from 0.
RatioOfMeans recovered_share(UnlearningFindings const& f, std::vector<double> const& unlearned) {
  std::vector<double> won;
  std::vector<double> gap;
  for (std::size_t run = 0; run < std::min(unlearned.size(), f.before.size()); ++run) {
    won.push_back(unlearned[run] - f.before[run]);
    gap.push_back(f.retrained[run] - f.before[run]);
  }
  constexpr double infinity = std::numeric_limits<double>::infinity();
  double const ratio = won.empty() ? unknown : mean(won) / mean(gap);
  if (won.size() < 2 || !std::isfinite(ratio)) return {ratio, -infinity, infinity};
  return ratio_of_means(won, gap);
}

std::string interval_text(double low, double high, char const* format) {
  if (!std::isfinite(low) || !std::isfinite(high)) return "";
  return "  95 % interval [" + fmt::format(fmt::runtime(format), low) + ", " + fmt::format(fmt::runtime(format), high) +
         "]";
}

std::string effect_report(Recorder& recorder, UnlearningOptions const& o, UnlearningFindings const& f) {
  ConfigurationNames const names = configuration_names(o);
  RatioOfMeans const recovered = recovered_share(f, f.unlearned);
  recorder.result("recovered", number_or_null(recovered.ratio));
  recorder.result("recovered_low", number_or_null(recovered.low));
  recorder.result("recovered_high", number_or_null(recovered.high));
  recorder.result("gap", number_or_null(mean(f.retrained) - mean(f.before)));
  recorder.result("honest_difference", number_or_null(mean(f.honest) - mean(f.retrained)));
  recorder.result("difference", number_or_null(mean(f.retrained) - mean(f.unlearned)));
  std::string text = "\n";
  text += test_line(recorder, "gap", fmt::format("{} - {}", names.retrained, names.poisoned),
                    difference(f.retrained, f.before));
  text += test_line(recorder, "honest_difference", fmt::format("{} - {}", names.honest, names.retrained),
                    difference(f.honest, f.retrained));
  text += test_line(recorder, "difference", fmt::format("{} - unlearned", names.retrained),
                    difference(f.retrained, f.unlearned));
  if (std::isfinite(recovered.ratio))
    text +=
        fmt::format("{:<40} {:.1f} %{}\n", fmt::format("of the gap {} - {} recovered", names.retrained, names.poisoned),
                    100 * recovered.ratio, interval_text(100 * recovered.low, 100 * recovered.high, "{:.1f}"));
  return text;
}

/// The cost of forgetting.
struct Cost {
  double local_steps;
  double messages;
  double seconds;  ///< median over runs
};

Cost cost_of(ReplayReport const& report, std::vector<double> const& seconds) {
  return {static_cast<double>(report.statistics.lists), static_cast<double>(report.statistics.reported),
          median(seconds)};
}

Json cost_json(Cost const& cost, ReplayReport const& report) {
  return {{"rounds", report.rounds},
          {"local_steps", cost.local_steps},
          {"messages", cost.messages},
          {"seconds", number_or_null(cost.seconds)},
          {"zero_updates", report.statistics.zero_updates},
          {"unrecorded", report.statistics.unrecorded}};
}

/// n / n′ · Δt
double calculated_speedup(UnlearningOptions const& o, std::uint32_t interval, std::uint32_t local_steps) {
  return static_cast<double>(o.interactions) / local_steps * interval;
}

std::string cost_report(Recorder& recorder, UnlearningOptions const& o, UnlearningFindings const& f, bool utf8) {
  Cost const retraining = cost_of(f.retraining, f.retraining_seconds);
  Cost const unlearning = cost_of(f.unlearning, f.unlearning_seconds);
  double const calculated = calculated_speedup(o, o.eraser.interval, o.eraser.local_steps);
  recorder.result("speedup", {{"local_steps", retraining.local_steps / unlearning.local_steps},
                              {"messages", retraining.messages / unlearning.messages},
                              {"seconds", number_or_null(retraining.seconds / unlearning.seconds)},
                              {"calculated", calculated}});
  recorder.result(
      "cost", {{"retrained", cost_json(retraining, f.retraining)}, {"unlearned", cost_json(unlearning, f.unlearning)}});
  std::uint64_t const width = o.eraser.store == FedEraser::Store::norm ? 1 : f.parameters;
  std::uint64_t const bytes = std::uint64_t{4} * o.eraser.kept_rounds(o.rounds) * o.clients * width;
  recorder.result("storage", {{"bytes", f.history_bytes}, {"calculated", bytes}});

  Table table({"cost of forgetting", "retraining", "FedEraser", "speed-up"});
  auto const add = [&](char const* what, double a, double b, auto const& text) {
    table.add({what, text(a), text(b), fmt::format("{:.2f}", a / b)});
  };
  auto const count = [](double value) { return grouped(static_cast<std::uint64_t>(value)); };
  add("rounds", f.retraining.rounds, f.unlearning.rounds, count);
  add("local steps", retraining.local_steps, unlearning.local_steps, count);
  add("messages", retraining.messages, unlearning.messages, count);
  add("processor seconds (median)", retraining.seconds, unlearning.seconds,
      [](double value) { return fmt::format("{:.4f}", value); });
  std::string text = "\n" + table.text(utf8);
  text += fmt::format("calculated     {:.2f} times fewer local steps: {} interactions / {} local steps * interval {}\n",
                      calculated, o.interactions, o.eraser.local_steps, o.eraser.interval);
  text += fmt::format("stored         {} bytes (calculated: {} kept rounds * {} clients * {} * 4 = {})\n",
                      grouped(f.history_bytes), grouped(o.eraser.kept_rounds(o.rounds)), o.clients, grouped(width),
                      grouped(bytes));
  text += o.eraser.store == FedEraser::Store::norm
              ? "if stolen      the history tells how far the client's clicks moved the model in each kept round;\n"
                "               whoever has candidates for queries and clicks can check them against it\n"
              : "if stolen      the history tells the gradient steps of each kept round, from which clicks can be\n"
                "               guessed\n";
  auto const& s = f.unlearning.statistics;
  text += fmt::format("updates        {} of {} had length 0 in the replay, {} had no record\n", grouped(s.zero_updates),
                      grouped(s.reported), grouped(s.unrecorded));
  return text;
}

/// The values of two neighbouring cells that have the same runs.
struct Comparisons {
  std::size_t better = 0;
  std::size_t all = 0;
  void add(UnlearningCell const& expected_better, UnlearningCell const& other) {
    if (expected_better.unlearned.size() != other.unlearned.size()) return;
    ++all;
    better += mean(expected_better.unlearned) > mean(other.unlearned) ? 1U : 0U;
  }
};

std::string grid_report(Recorder& recorder, UnlearningOptions const& o, UnlearningFindings const& f, bool utf8) {
  if (f.grid.empty()) return "";
  UnlearningGrid const axes = unlearning_grid(o);
  double const retraining = median(f.retraining_seconds);
  Json cells = Json::array();
  for (auto const& [key, cell] : f.grid) {
    auto const [interval, local_steps] = key;
    std::vector<double> const retrained(f.retrained.begin(),
                                        f.retrained.begin() + static_cast<std::ptrdiff_t>(cell.unlearned.size()));
    auto const test = difference(retrained, cell.unlearned);
    RatioOfMeans const recovered = recovered_share(f, cell.unlearned);
    cells.push_back({{"interval", interval},
                     {"local_steps", local_steps},
                     {"unlearned", number_or_null(mean(cell.unlearned))},
                     {"unlearned_sd", number_or_null(standard_deviation(cell.unlearned))},
                     {"difference", number_or_null(mean(retrained) - mean(cell.unlearned))},
                     {"difference_low", test ? number_or_null(test->low) : Json()},
                     {"difference_high", test ? number_or_null(test->high) : Json()},
                     {"recovered", number_or_null(recovered.ratio)},
                     {"recovered_low", number_or_null(recovered.low)},
                     {"recovered_high", number_or_null(recovered.high)},
                     {"speedup",
                      {{"local_steps", static_cast<double>(f.retraining.statistics.lists) /
                                           static_cast<double>(cell.cost.statistics.lists)},
                       {"seconds", number_or_null(retraining / median(cell.seconds))},
                       {"calculated", calculated_speedup(o, interval, local_steps)}}},
                     {"zero_updates", cell.cost.statistics.zero_updates}});
  }
  Comparisons steps;
  Comparisons intervals;
  for (std::size_t i = 0; i < axes.intervals.size(); ++i)
    for (std::size_t k = 0; k < axes.local_steps.size(); ++k) {
      auto const cell = [&](std::size_t a, std::size_t b) -> UnlearningCell const& {
        static UnlearningCell const none;
        auto const found = f.grid.find({axes.intervals[a], axes.local_steps[b]});
        return found == f.grid.end() ? none : found->second;
      };
      if (cell(i, k).unlearned.empty()) continue;
      if (k > 0) steps.add(cell(i, k), cell(i, k - 1));
      if (i > 0) intervals.add(cell(i - 1, k), cell(i, k));
    }
  recorder.result("grid", {{"cells", cells},
                           {"more_local_steps_better", steps.better},
                           {"local_step_comparisons", steps.all},
                           {"smaller_interval_better", intervals.better},
                           {"interval_comparisons", intervals.all}});

  auto const table_of = [&](char const* title, auto const& text) {
    std::vector<std::string> header{title};
    for (std::uint32_t const local_steps : axes.local_steps)
      header.push_back(fmt::format("{} step{}", local_steps, local_steps == 1 ? "" : "s"));
    Table table(std::move(header));
    for (std::uint32_t const interval : axes.intervals) {
      std::vector<std::string> row{fmt::format("interval {}", interval)};
      for (std::uint32_t const local_steps : axes.local_steps) {
        auto const found = f.grid.find({interval, local_steps});
        row.push_back(found == f.grid.end() ? "" : text(found->second, interval, local_steps));
      }
      table.add(std::move(row));
    }
    return "\n" + table.text(utf8);
  };
  std::string out = table_of("nDCG@10 after FedEraser", [](UnlearningCell const& cell, std::uint32_t, std::uint32_t) {
    return fmt::format("{:.4f}", mean(cell.unlearned));
  });
  out += table_of("recovered share of the gap", [&](UnlearningCell const& cell, std::uint32_t, std::uint32_t) {
    double const share = recovered_share(f, cell.unlearned).ratio;
    return std::isfinite(share) ? fmt::format("{:.1f} %", 100 * share) : "-";
  });
  out += table_of("speed-up in seconds (in local steps)",
                  [&](UnlearningCell const& cell, std::uint32_t interval, std::uint32_t local_steps) {
                    return fmt::format("{:.1f} ({:.1f})", retraining / median(cell.seconds),
                                       calculated_speedup(o, interval, local_steps));
                  });
  out += fmt::format(
      "More local steps are better in {} of {} pairs of neighbouring cells, a smaller interval in {} of {}.\n",
      steps.better, steps.all, intervals.better, intervals.all);
  return out;
}

Json distance_json(RankerDistance const& d) {
  return {{"weights", number_or_null(d.weights)},
          {"relative_weights", number_or_null(d.relative_weights)},
          {"kendall_tau", number_or_null(d.kendall_tau)},
          {"ndcg10_difference", number_or_null(d.ndcg_difference)},
          {"ndcg10_change", number_or_null(d.ndcg_change)}};
}

std::string distance_report(Recorder& recorder, UnlearningFindings const& f, bool utf8) {
  if (f.distances.empty()) return "";
  RankerDistance unlearned;
  RankerDistance retrained;
  double const share = 1.0 / static_cast<double>(f.distances.size());
  bool const yardstick = f.distances.front().retrained.has_value();
  for (DistanceToRetraining const& of_fold : f.distances) {
    unlearned.add(of_fold.unlearned, share);
    if (of_fold.retrained) retrained.add(*of_fold.retrained, share);
  }
  Json json{{"unlearned", distance_json(unlearned)}};
  json["between_retrainings"] = yardstick ? distance_json(retrained) : Json();
  recorder.result("distance", json);
  Table table({"distance to a retrained model", "weights", "relative", "Kendall tau", "nDCG@10 change per query"});
  auto const add = [&](char const* what, RankerDistance const& d) {
    table.add({what, fmt::format("{:.4f}", d.weights), fmt::format("{:.4f}", d.relative_weights),
               fmt::format("{:.4f}", d.kendall_tau), fmt::format("{:.4f}", d.ndcg_change)});
  };
  add("unlearned", unlearned);
  if (yardstick) add("another retraining", retrained);
  return "\n" + table.text(utf8) + (yardstick ? "" : "--repeats 2 or more adds the distance between retrainings.\n");
}

Json leak_json(Leak const& leak) {
  return {{"advantage", leak.advantage},
          {"low", leak.low},
          {"high", leak.high},
          {"pairs", leak.pairs},
          {"identical", leak.identical}};
}

std::string leak_report(Recorder& recorder, UnlearningFindings const& f, bool utf8) {
  recorder.result("leak", Json());
  if (!f.leak) return "";
  recorder.result("leak", {{"unlearned", leak_json(f.leak->unlearned)},
                           {"retrained", leak_json(f.leak->retrained)},
                           {"nothing", leak_json(f.leak->nothing)}});
  Table table({"leak: which data did they hold?", "advantage", "95 % interval", "identical models"});
  auto const add = [&](char const* what, Leak const& leak) {
    table.add({what, fmt::format("{:.3f}", leak.advantage), fmt::format("[{:.3f}, {:.3f}]", leak.low, leak.high),
               fmt::format("{} of {} pairs", leak.identical, leak.pairs)});
  };
  add("after FedEraser", f.leak->unlearned);
  add("after retraining", f.leak->retrained);
  add("without forgetting", f.leak->nothing);
  return "\n" + table.text(utf8) +
         "The advantage is that of one observer, who sees one model. Another observer may tell more from models that\n"
         "are not identical.\n";
}

}  // namespace

std::string unlearning_report(Recorder& recorder, UnlearningOptions const& o, UnlearningFindings const& f, bool utf8) {
  if (f.unlearned.empty()) return "";
  return effect_report(recorder, o, f) + cost_report(recorder, o, f, utf8) + grid_report(recorder, o, f, utf8) +
         distance_report(recorder, f, utf8) + leak_report(recorder, f, utf8);
}

}  // namespace fltr::examples
