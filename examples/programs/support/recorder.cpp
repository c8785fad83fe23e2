#include "recorder.hpp"

#include <algorithm>
#include <cstdio>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "checkpoints.hpp"
#include "interruption.hpp"
#include "run_summary.hpp"
#include "terminal.hpp"

namespace fltr::examples {

Recorder::Recorder(Program const& program, CommonOptions const& options, std::vector<std::string> extra_columns)
    : program_(&program),
      options_(&options),
      extra_columns_(extra_columns.size()),
      checkpoints_(std::make_unique<Checkpoints>(program, options)),
      files_(options.out, options.force || (options.resume && is_unfinished_result(options.out)), extra_columns),
      progress_(options.quiet),
      expected_runs_(options.repeats),
      own_results_(std::make_unique<Json>(Json::object())) {}

Recorder::~Recorder() = default;

Run& Recorder::start_run(std::size_t fold, std::uint64_t seed) {
  end_run();
  return runs_.emplace_back(*this, runs_.size() + 1, fold, seed);
}

void Recorder::end_run() {
  if (!runs_.empty()) runs_.back().end();
}

void Recorder::drop_run() {
  if (!runs_.empty()) runs_.pop_back();
}

void Recorder::add_seconds(std::string_view name, double seconds) {
  auto found = std::ranges::find(seconds_, name, &NamedResults::value_type::first);
  if (found == seconds_.end()) found = seconds_.emplace(seconds_.end(), std::string(name), 0.0);
  found->second += seconds;
}

void Recorder::result(std::string const& name, Json const& value) { (*own_results_)[name] = value; }

void Recorder::line(std::string what, std::string text) {
  std::pair const both{std::move(what), std::move(text)};
  if (std::ranges::find(own_lines_, both) == own_lines_.end()) own_lines_.push_back(both);
}

void Recorder::warn(std::string text) {
  if (std::ranges::find(warnings_, text) != warnings_.end()) return;
  checkpoints_->say("warning: " + text);
  warnings_.push_back(std::move(text));
}

void Recorder::show_progress(Run const& run, bool at_once) {
  ProgressState state{.run = run.number(),
                      .runs = std::max(expected_runs_, runs_.size()),
                      .round = run.last_round(),
                      .rounds = options_->rounds,
                      .interactions = 0,
                      .seconds = clock_.seconds(),
                      .stage = run.stage(),
                      .unit = unit_};
  for (Run const& each : runs_) state.interactions += each.interactions();
  if (!run.offline_points().empty()) state.ndcg = run.offline_points().back().second;
  progress_.show(state, at_once);
}

std::string Recorder::model_name(Run const& run) const {
  if (std::max(expected_runs_, runs_.size()) == 1) return "model.fltr";
  return fmt::format("model-fold{}-seed{}.fltr", run.fold(), run.seed());
}

void Recorder::write_files() {
  keep_results();
  end_run();
  progress_.clear();
  files_.finish([this] { return svg_chart(chart()); }, [this] { return json_file(run_json()); });
}

void Recorder::close() {
  write_files();
  files_.throw_if_missing();
}

void Recorder::finish(std::string_view more) {
  write_files();
  Terminal const terminal = Terminal::of(stdout);
  fmt::print("{}{}", report(terminal.utf8, std::min<std::size_t>(terminal.width, 100)), more);
  files_.throw_if_missing();
}

std::vector<std::string> Recorder::not_covered(RunSummary const& summary) const {
  if (options_->no_online) return of_clicks_;
  std::vector<std::string> names;
  for (char const* const name : {"online_ndcg10", "online_discounted", "online_metric"})
    if (std::ranges::any_of(summary.values(name), [](double value) { return value == value; }))
      names.emplace_back(name);
  if (summary.interactions() > 0) names.emplace_back("interactions");
  names.insert(names.end(), of_clicks_.begin(), of_clicks_.end());
  return names;
}

std::string Recorder::interruption() const {
  std::string const signal = stop_signal_name();
  if (runs_.empty() || !runs_.back().cut_short())
    return fmt::format("{} after {} of {} runs", signal, runs_.size(), expected_runs_);
  Run const& run = runs_.back();
  std::string const text =
      fmt::format("{} {} round {} of {}", signal, run.last_round() < options_->rounds ? "after" : "within",
                  run.last_round(), options_->rounds);
  if (expected_runs_ <= 1) return text;
  return text + fmt::format(" of run {} of {} (fold {}, seed {}), which counts up to this round", run.number(),
                            expected_runs_, run.fold(), run.seed());
}

}  // namespace fltr::examples
