#include "recorder.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <map>
#include <stdexcept>
#include <system_error>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <fltr/core/version.hpp>

#include "files.hpp"
#include "summary_statistics.hpp"

namespace fltr::examples {

namespace {

using Json = nlohmann::ordered_json;

Json number_or_null(double value) { return std::isfinite(value) ? Json(value) : Json(); }
/// JSON has no infinite number.
Json number_or_inf(double value) { return std::isinf(value) ? Json("inf") : number_or_null(value); }

std::string field(std::optional<double> value) { return value && !std::isnan(*value) ? shortest(*value) : ""; }

/// Mean and deviation over runs of what they have at the rounds that all of them have.
template <class Get>
Series averaged(std::span<Run const* const> runs, std::string label, Series::Style style, Get&& get) {
  std::map<std::uint64_t, std::vector<double>> values;
  for (Run const* const run : runs)
    for (auto const& [round, value] : get(*run)) values[round].push_back(value);
  Series series{.label = std::move(label), .x = {}, .y = {}, .style = style};
  for (auto const& [round, at_round] : values) {
    if (at_round.size() != runs.size()) continue;
    series.x.push_back(static_cast<double>(round));
    series.y.push_back(mean(at_round));
    if (runs.size() > 1) series.deviation.push_back(standard_deviation(at_round));
  }
  return series;
}

}  // namespace

Recorder::Recorder(Program const& program, CommonOptions const& options, std::vector<std::string> extra_columns)
    : program_(&program),
      options_(&options),
      extra_columns_(std::move(extra_columns)),
      progress_(options.quiet),
      expected_runs_(options.repeats) {
  if (options.out.empty()) return;
  out_.emplace(options.out, options.force);
  rounds_file_.emplace(options.out / "rounds.csv");
  std::string header =
      "run,seed,fold,round,interactions,offline_ndcg10,offline_mrr10,online_ndcg10,clients,dropped,rejected,"
      "epsilon_nominal,epsilon_accounted,delta,seconds";
  for (std::string const& column : extra_columns_) header += ',' + csv_field(column);
  written_.insert("rounds.csv");
  write_lines(*rounds_file_, header + '\n');
  rounds_file_->flush();
  add_folder("");
}

void Recorder::add_folder(std::string const& folder) {
  if (options_->out.empty()) return;
  if (!folder.empty()) {
    out_->add(folder);
    folders_.push_back(folder);
  }
  written_.insert(std::filesystem::path(folder) / "queries.csv");
  GrowingFile& file = queries_files_.try_emplace(folder, options_->out / folder / "queries.csv").first->second;
  std::string header(query_columns);
  for (QueryMetric const& metric : query_metrics) header.append(",").append(metric.column);
  write_lines(file, header + '\n');
}

Run& Recorder::start_run(std::size_t fold, std::uint64_t seed) {
  end_run();
  return runs_.emplace_back(*this, runs_.size() + 1, fold, seed);
}

void Recorder::end_run() {
  if (!runs_.empty()) runs_.back().end();
}

void Recorder::drop_run() {
  if (runs_.empty()) return;
  runs_.pop_back();
}

void Recorder::add_seconds(std::string_view name, double seconds) {
  auto found = std::ranges::find(seconds_, name, &Named::value_type::first);
  if (found == seconds_.end()) found = seconds_.emplace(seconds_.end(), std::string(name), 0.0);
  found->second += seconds;
}

void Recorder::result_json(std::string name, std::string json) {
  if (!Json::accept(json)) throw std::logic_error("Recorder::result_json: required JSON text, got " + json);
  own_json_.emplace_back(std::move(name), std::move(json));
}

void Recorder::write_lines(GrowingFile& file, std::string_view lines) {
  file.append(lines);
  if (double const now = clock_.seconds();
      now >= next_flush_) {  // what a long run did so far can be read, and survives it
    rounds_file_->flush();
    for (auto& [folder, queries] : queries_files_) queries.flush();
    next_flush_ = now + 1;
  }
}

void Recorder::write_result(std::filesystem::path const& file, std::string bytes) {
  if (!out_) return;
  written_.insert(file);
  if (!out_->has_earlier_result()) {
    try {
      return write_file(options_->out / file, bytes);
    } catch (std::exception const&) {  // perhaps there is more room at the end
    }
  }
  unwritten_[file] = std::move(bytes);
}

void Recorder::write_row(Run const& run, RoundRow const& row, double seconds) {
  if (!rounds_file_) return;
  auto const offline = row.offline.value_or(Offline{});
  auto const spent = [&](double PrivacySpent::*part) { return row.privacy ? field((*row.privacy).*part) : ""; };
  std::string line =
      fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}", run.number(), run.seed(), run.fold(), row.round,
                  row.interactions, field(offline.ndcg10), field(offline.mrr10), field(row.online_ndcg10), row.clients,
                  row.dropped, row.rejected, spent(&PrivacySpent::epsilon_nominal),
                  spent(&PrivacySpent::epsilon_accounted), spent(&PrivacySpent::delta), shortest(seconds));
  for (Cell const& cell : row.extra) line += ',' + csv_field(cell.text());
  write_lines(*rounds_file_, line + '\n');
}

void Recorder::show_progress(Run const& run, bool at_once) {
  ProgressState state{.run = run.number(),
                      .runs = std::max(expected_runs_, runs_.size()),
                      .round = run.rows_.empty() ? 0 : run.rows_.back().row.round,
                      .rounds = options_->rounds,
                      .interactions = interactions(),
                      .seconds = clock_.seconds(),
                      .stage = run.stage_};
  if (!run.offline_points_.empty()) state.ndcg = run.offline_points_.back().second;
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
  if (!rounds_file_) return;
  written_.insert({"curve.svg", "run.json"});

  // Every file is complete on the disk before the first one gets its name.
  std::deque<GrowingFile> whole_files;
  CompleteFiles complete;
  auto const prepare = [&](std::filesystem::path const& file, auto const& make) {
    bool const done = output_errors_.attempt([&] {
      GrowingFile& made = make();
      made.finish();
      complete.emplace_back(file, &made);
    });
    if (!done) missing_.push_back(file.string());
  };
  auto const prepare_whole = [&](std::filesystem::path const& file, auto const& bytes) {
    prepare(file, [&]() -> GrowingFile& {
      GrowingFile& made = whole_files.emplace_back(options_->out / file);
      made.append(bytes());
      return made;
    });
  };
  prepare("rounds.csv", [&]() -> GrowingFile& { return *rounds_file_; });
  for (auto& [folder, queries] : queries_files_)
    prepare(std::filesystem::path(folder) / "queries.csv", [&q = queries]() -> GrowingFile& { return q; });
  for (auto const& [file, bytes] : unwritten_) prepare_whole(file, [&b = bytes]() -> std::string const& { return b; });
  unwritten_.clear();
  prepare_whole("curve.svg", [&] { return svg_chart(chart()); });
  prepare_whole("run.json", [&] { return run_json(); });

  if (out_->has_earlier_result() && !missing_.empty()) {
    keep_earlier_result(complete);
  } else {
    name_files(complete);
    if (missing_.empty()) out_->remove_earlier_result(written_);
  }
  rounds_file_.reset();
  queries_files_.clear();
}

void Recorder::keep_earlier_result(CompleteFiles const& complete) {
  earlier_stays_ = true;
  out_->remove_remnants();  // of a third result
  std::size_t beside = 0;
  for (auto const& [file, made] : complete)
    if (output_errors_.attempt([&m = *made] { m.commit_beside(new_ending); })) ++beside;
  output_note_ = fmt::format("; the earlier result in {} stays as it was", options_->out.string());
  if (beside > 0) output_note_ += fmt::format("; the others are beside it, with {} behind their names", new_ending);
}

void Recorder::name_files(CompleteFiles const& complete) {
  auto const hold = hold_unfinished_files();
  // run.json last: where it is, the others are, or it says which are missing.
  std::error_code ignored;
  std::filesystem::remove(options_->out / "run.json", ignored);
  std::size_t const missing = missing_.size();
  for (auto const& [file, made] : complete) {
    bool const named = output_errors_.attempt([&, &f = file, &m = *made] {
      if (f == "run.json" && missing_.size() > missing)
        write_file(options_->out / f, run_json());  // what it said is not true any more
      else
        m.commit();
    });
    if (named) continue;
    missing_.push_back(file.string());
    std::filesystem::remove(options_->out / file, ignored);  // the one of the earlier result is not of this one
  }
}

bool Recorder::is_written(std::filesystem::path const& file) const {
  return written_.contains(file) && std::ranges::find(missing_, file.string()) == missing_.end();
}

void Recorder::close() {
  write_files();
  output_errors_.finish(output_note_);
}

void Recorder::finish(std::string_view more) {
  write_files();
  Terminal const terminal = Terminal::of(stdout);
  fmt::print("{}{}", report(terminal.utf8, std::min<std::size_t>(terminal.width, 100)), more);
  output_errors_.finish(output_note_);
}

std::string Recorder::interruption() const {
  std::string text = stop_signal_name();
  if (!runs_.empty() && runs_.back().cut_short()) {
    Run const& run = runs_.back();
    text += fmt::format(" {} round {} of {}", run.last_round_ < options_->rounds ? "after" : "within", run.last_round_,
                        options_->rounds);
    if (expected_runs_ > 1)
      text += fmt::format(" of run {} of {} (fold {}, seed {}), which counts up to this round", run.number(),
                          expected_runs_, run.fold(), run.seed());
    return text;
  }
  return text + fmt::format(" after {} of {} runs", runs_.size(), expected_runs_);
}

std::vector<std::string> Recorder::result_names() const {
  std::vector<std::string> names;
  for (Run const& run : runs_)
    for (auto const& [name, value] : run.results())
      if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  return names;
}

std::vector<double> Recorder::results(std::string_view name, std::size_t fold) const {
  std::vector<double> values;
  for (Run const& run : runs_) {
    if (fold != 0 && run.fold() != fold) continue;
    auto const all = run.results();
    auto const found = std::ranges::find(all, name, &Named::value_type::first);
    values.push_back(found != all.end() ? found->second : std::numeric_limits<double>::quiet_NaN());
  }
  return values;
}

std::vector<std::size_t> Recorder::folds() const {
  std::vector<std::size_t> numbers;
  for (Run const& run : runs_)
    if (std::ranges::find(numbers, run.fold()) == numbers.end()) numbers.push_back(run.fold());
  return numbers;
}

std::uint64_t Recorder::interactions() const {
  std::uint64_t sum = 0;
  for (Run const& run : runs_) sum += run.interactions_;
  return sum;
}

double Recorder::train_seconds() const {
  double sum = 0;
  for (Run const& run : runs_) sum += run.train_seconds_;
  return sum;
}

double Recorder::evaluate_seconds() const {
  double sum = 0;
  for (Run const& run : runs_) sum += run.evaluate_seconds_;
  return sum;
}

std::string Recorder::run_json() const {
  auto const means = [this](std::size_t fold) {
    Json json = Json::object();
    for (std::string const& name : result_names()) {
      auto const values = results(name, fold);
      json[name] = number_or_null(mean(values));
      json[name + "_sd"] = number_or_null(standard_deviation(values));
    }
    return json;
  };
  Json json;
  json["program"] = program_->name();
  json["version"] = version;
  json["options"] = Json::parse(program_->options_json());
  json["interrupted"] = was_interrupted();
  if (was_interrupted()) {
    bool const within = !runs_.empty() && runs_.back().cut_short();
    json["interruption"] = {{"signal", stop_signal_name()}, {"runs", runs_.size()}, {"runs_planned", expected_runs_}};
    json["interruption"]["last_run_ends_at_round"] = within ? Json(runs_.back().last_round_) : Json();
  }
  if (!missing_.empty()) json["missing_files"] = missing_;
  std::vector<std::string> files;
  for (auto const& file : written_)
    if (is_written(file)) files.push_back(file.string());
  json["files"] = files;
  json["dataset"] = {
      {"queries", dataset_.queries}, {"documents", dataset_.documents},         {"features", dataset_.features},
      {"grades", dataset_.grades},   {"empty_queries", dataset_.empty_queries}, {"clamped", dataset_.clamped}};
  json["result"] = means(0);
  for (auto const& [name, text] : own_json_) json["result"][name] = Json::parse(text);
  if (auto const numbers = folds(); numbers.size() > 1) {
    json["result"]["folds"] = Json::array();
    for (std::size_t const fold : numbers) {
      Json part{{"fold", fold}};
      part.update(means(fold));
      json["result"]["folds"].push_back(std::move(part));
    }
  }
  json["privacy"] = nullptr;
  if (!runs_.empty() && runs_.front().privacy_) {
    PrivacySpent const& spent = *runs_.front().privacy_;
    json["privacy"] = {{"epsilon_nominal", number_or_inf(spent.epsilon_nominal)},
                       {"epsilon_accounted", number_or_inf(spent.epsilon_accounted)},
                       {"delta", number_or_inf(spent.delta)}};
    if (!spent.assumption.empty()) json["privacy"]["assumption"] = spent.assumption;
    if (!spent.reason.empty()) json["privacy"]["reason"] = spent.reason;
  }
  for (auto const& [name, seconds] : seconds_) json["seconds"][name] = seconds;
  json["seconds"]["train"] = train_seconds();
  json["seconds"]["evaluate"] = evaluate_seconds();
  json["interactions"] = interactions();
  json["interactions_per_second"] = number_or_null(static_cast<double>(interactions()) / train_seconds());
  json["model_sha256"] = model_sha256_.empty() ? Json() : Json(model_sha256_);
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

Chart Recorder::chart() const {
  bool const several = runs_.size() > 1;
  Chart chart{.title = fmt::format("{}: nDCG@10 by round", program_->name()),
              .x_label = "round",
              .y_label = "nDCG@10",
              .series = {}};
  std::vector<std::string> setting;
  if (program_->uses("--data")) setting.push_back(options_->data);
  if (!instead_of_clients_.empty()) {
    setting.push_back(instead_of_clients_);
  } else {
    auto const count = [](std::uint64_t n, char const* what) { return grouped(n) + ' ' + what + (n == 1 ? "" : "s"); };
    if (program_->uses("--clients")) setting.push_back(count(options_->clients, "client"));
    if (program_->uses("--interactions")) setting.push_back(count(options_->interactions, "interaction") + " each");
  }
  if (program_->uses("--clicks"))
    setting.push_back(options_->clicks == Clicks::perfect        ? "perfect clicks"
                      : options_->clicks == Clicks::navigational ? "navigational clicks"
                                                                 : "informational clicks");
  if (program_->uses("--ranker"))
    setting.push_back(options_->ranker == RankerKind::linear ? "linear ranker" : "neural ranker");
  chart.subtitle = join(setting, ", ");
  constexpr std::size_t widest = 92;
  if (std::size_t const length = character_count(chart.subtitle); length > widest && program_->uses("--data")) {
    std::size_t const cut = std::min(length - widest + 3, options_->data.size());
    chart.subtitle = "..." + chart.subtitle.substr(cut);  // the end of a path says more than its beginning
  }
  // A run that a signal ended early would end the curve of all.
  std::vector<Run const*> runs;
  for (bool const cut_short : {false, true})
    if (runs.empty())
      for (Run const& run : runs_)
        if (run.cut_short() == cut_short) runs.push_back(&run);
  auto const offline = [](Run const& run) -> Run::Points const& { return run.offline_points_; };
  auto const online = [](Run const& run) -> Run::Points const& { return run.online_points_; };
  chart.series.push_back(
      thinned(averaged(runs, several ? fmt::format("offline, mean ± sd of {} runs", runs.size()) : "offline",
                       Series::Style::solid, offline),
              800));
  Series shown = averaged(runs, several ? "online, mean" : "online", Series::Style::dashed, online);
  if (!shown.x.empty()) {
    shown.deviation.clear();
    std::size_t const before = shown.x.size();
    shown = binned(shown, 80);
    if (shown.x.size() < before) shown.label += fmt::format(" ({} rounds a point)", (before + 79) / 80);
    chart.series.push_back(std::move(shown));
  }
  if (several) {
    Series first{.label = "offline, first run", .x = {}, .y = {}, .style = Series::Style::thin};
    for (auto const& [round, value] : runs_.front().offline_points_) {
      first.x.push_back(static_cast<double>(round));
      first.y.push_back(value);
    }
    chart.series.push_back(thinned(first, 800));
  }
  return chart;
}

}  // namespace fltr::examples
