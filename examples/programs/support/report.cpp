#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string_view>

#include <fmt/core.h>

#include <fltr/metrics/summary_statistics.hpp>

#include "interruption.hpp"
#include "recorder.hpp"
#include "run_summary.hpp"
#include "table.hpp"
#include "text.hpp"

namespace fltr::examples {

namespace {

/// The name of a result in the table: offline_ndcg10 is "offline nDCG@10".
std::string readable(std::string name) {
  for (auto const& [from, to] : {std::pair<std::string_view, std::string_view>{"ndcg5", "nDCG@5"},
                                 {"ndcg10", "nDCG@10"},
                                 {"mrr10", "MRR@10"},
                                 {"maxrr", "MaxRR"}})
    if (std::size_t const place = name.find(from); place != std::string::npos)
      name.replace(place, name.size() - place, to);
  std::ranges::replace(name, '_', ' ');
  return name;
}

/// Counts of what went wrong are shown if there was any.
constexpr std::array<std::string_view, 3> shown_if_any{"dropped_messages", "rejected_messages", "discarded_rounds"};

/// Counts have no decimals, unless they are means.
int decimals_for(std::string_view name, double value) {
  constexpr std::array<std::string_view, 3> counts{"trees", "tuned_leaves", "tuned_min_data"};
  bool const count =
      std::ranges::find(counts, name) != counts.end() || std::ranges::find(shown_if_any, name) != shown_if_any.end();
  if (!count && std::abs(value) < 10) return 4;
  return value == std::round(value) ? 0 : 2;
}

/// Mean and deviation of a result over the runs of a fold (0: of all folds); "-" if there is no value.
std::string cell(RunSummary const& summary, std::string const& name, std::size_t fold, bool utf8) {
  auto const values = summary.values(name, fold);
  double const centre = mean(values);
  if (name.starts_with("tuned_") && std::abs(centre) < 1) {  // a learning rate may be far below 0.0001
    double const deviation = standard_deviation(values);
    if (std::isnan(deviation) || std::isnan(centre)) return std::isnan(centre) ? "-" : fmt::format("{:.4g}", centre);
    return fmt::format("{:.4g} {} {:.2g}", centre, utf8 ? "±" : "+-", deviation);
  }
  return mean_and_deviation(centre, standard_deviation(values), decimals_for(name, centre), utf8);
}

/// Other results are shown if there is a value.
bool is_shown(RunSummary const& summary, std::string const& name) {
  auto const values = summary.values(name);
  if (std::ranges::find(shown_if_any, name) != shown_if_any.end())
    return std::ranges::any_of(values, [](double value) { return value > 0; });
  return !std::isnan(mean(values));
}

std::string fold_table(RunSummary const& summary, bool utf8) {
  Table table({"fold", "offline nDCG@10", "offline MRR@10", "online nDCG@10"});
  for (std::size_t const fold : summary.folds())
    table.add({std::to_string(fold), cell(summary, "offline_ndcg10", fold, utf8),
               cell(summary, "offline_mrr10", fold, utf8), cell(summary, "online_ndcg10", fold, utf8)});
  return table.text(utf8);
}

}  // namespace

std::string Recorder::result_table(bool utf8) const {
  RunSummary const summary(runs_, headline_.result);
  std::string const sd = utf8 ? " ± sd" : " +- sd";
  Table table({"result", runs_.size() > 1 ? fmt::format("mean{} of {} runs", sd, runs_.size()) : "value"});
  auto const add_results = [&](auto const& chosen) {
    for (std::string const& name : summary.names())
      if (chosen(name) && is_shown(summary, name)) {
        std::string label = name == headline_.result ? headline_.label : readable(name);
        if (!headline_.offline_model.empty() && name.starts_with("offline_"))
          label = headline_.offline_model + label.substr(std::string_view("offline").size());
        table.add({std::move(label), cell(summary, name, 0, utf8)});
      }
  };
  auto const is_offline = [](std::string const& name) { return name.starts_with("offline_"); };
  auto const is_other = [&](std::string const& name) { return !is_offline(name); };

  if (!headline_.result.empty()) add_results(is_other);
  std::vector<double> start;
  for (Run const& run : runs_)
    if (run.offline_points().size() > 1 && run.offline_points().front().first == 0)
      start.push_back(run.offline_points().front().second);
  if (!start.empty() && start.size() == runs_.size() && headline_.result.empty())
    table.add({"offline nDCG@10 at the start", mean_and_deviation(mean(start), standard_deviation(start), 4, utf8)});
  add_results(is_offline);
  if (headline_.result.empty()) add_results(is_other);
  return table.text(utf8);
}

std::string Recorder::report(bool utf8, std::size_t width) const {
  RunSummary const summary(runs_);
  std::string text = fmt::format("{}: {}\n\n", program_->name(), setting());
  if (!options_->quiet && headline_.result.empty() && !picture_) {
    Chart offline = chart();
    offline.title = "offline nDCG@10 by " + x_label();
    if (runs_.size() > 1) offline.title += fmt::format(", mean of {} runs", runs_.size());
    if (std::string const curve = terminal_chart(offline, width, utf8); !curve.empty()) text += curve + '\n';
  }
  text += result_table(utf8) + '\n';
  if (summary.folds().size() > 1) text += fold_table(summary, utf8) + '\n';

  auto const line = [&](std::string_view what, std::string const& value) {
    text += fmt::format("{:<13} {}\n", what, value);
  };
  if (was_interrupted()) line("interrupted", "by " + interruption());
  for (std::string const& warning : warnings_) line("warning", warning);
  if (dataset_.clamped > 0) {
    double const limit = options_->clamp;
    line("clamped", fmt::format("{} feature values beyond {} or {}; see --clamp", grouped(dataset_.clamped),
                                shortest(-limit), shortest(limit)));
  }
  if (!runs_.empty() && runs_.front().privacy()) {
    PrivacySpent const& spent = *runs_.front().privacy();
    std::string const nominal = spent.epsilon_nominal > 0 ? fmt::format("{:.5g} nominal, ", spent.epsilon_nominal) : "";
    line("privacy", fmt::format("epsilon {}{:.5g} accounted, delta {:g}{}", nominal, spent.epsilon_accounted,
                                spent.delta, spent.bound.empty() ? "" : fmt::format(" (bound: {})", spent.bound)));
    if (spent.epsilon_accounted > 0 && spent.epsilon_accounted < std::numeric_limits<double>::infinity())
      line("",
           fmt::format("if the rounds were fixed in advance or ended by a budget; {:.5g} if the stop was chosen from "
                       "the models",
                       spent.epsilon_any_stop));
    if (!spent.reason.empty()) line("", "accounted is infinite: " + spent.reason);
    if (!spent.assumption.empty()) line("", "accounted " + spent.assumption);
    if (auto const names = not_covered(summary); !names.empty())
      line("", fmt::format("not covered: {}, exact functions of clicks{}", join(names, ", "),
                           of_clicks_.empty()    ? " (--no-online leaves them out)"
                           : options_->no_online ? ""
                                                 : " (--no-online leaves out all but " + join(of_clicks_, ", ") + ")"));
  }
  for (auto const& [what, value] : own_lines_) line(what, value);
  if (!runs_.empty() && runs_.front().budget_stop()) {
    BudgetStop const& stop = *runs_.front().budget_stop();
    line("budget", fmt::format("stopped before round {}, which could raise the accounted epsilon to {:.5g}, above the "
                               "budget of {:.5g}",
                               stop.round, stop.epsilon, stop.budget));
  }
  if (std::uint64_t const interactions = summary.interactions(); interactions > 0 && !options_->no_online)
    line("interactions", fmt::format("{}, {} per second", grouped(interactions),
                                     abbreviated(static_cast<double>(interactions) / summary.train_seconds())));
  std::vector<std::string> times;
  for (auto const& [name, value] : seconds_) times.push_back(name + ' ' + duration(value));
  times.push_back("train " + duration(summary.train_seconds()));
  times.push_back("evaluate " + duration(summary.evaluate_seconds()));
  line("time", join(times, ", "));
  if (!runs_.empty() && !runs_.front().model_sha256().empty()) line("model sha256", runs_.front().model_sha256());
  if (std::string const files = files_.listed(); !files.empty())
    line("written to", fmt::format("{}: {}", options_->out.string(), files));
  return text;
}

}  // namespace fltr::examples
