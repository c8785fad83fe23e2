#include "poisoning_grid.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <mutex>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <fltr/core/version.hpp>

#include "data_hash.hpp"
#include "files.hpp"
#include "grid_findings.hpp"
#include "grid_report.hpp"
#include "grid_summary.hpp"
#include "heat_map.hpp"
#include "interruption.hpp"
#include "output_folder.hpp"
#include "parallel_jobs.hpp"
#include "progress.hpp"
#include "recorder.hpp"
#include "stopwatch.hpp"
#include "terminal.hpp"
#include "text.hpp"

namespace fltr::examples {

namespace {

/// The options that decide the result of a cell. The lists of the grid, the seeds and the number of threads do not.
Json setting_json(Program const& program, std::string const& data_hash) {
  constexpr std::array<std::string_view, 11> undecisive{
      "grid",    "attacks", "aggregators", "behaviours", "malicious_counts", "seed", "repeats",
      "threads", "out",     "force",       "quiet"};
  Json setting = program.options();
  for (std::string_view const key : undecisive) setting.erase(std::string(key));
  if (!data_hash.empty()) {  // the folder of the data may have another name
    setting.erase("data");
    setting["data_hash"] = data_hash;
  }
  setting["version"] = version;
  return setting;
}

std::string setting_text(PoisoningOptions const& o) {
  std::string text =
      fmt::format("{}, {} clients, {} interactions each, {} rounds, {} ranker", o.data, grouped(o.clients),
                  grouped(o.interactions), grouped(o.rounds), o.ranker == RankerKind::linear ? "linear" : "neural");
  if (o.knowledge == KnowledgeKind::partial) text += ", partial knowledge";
  if (o.assumed) text += fmt::format(", {} malicious assumed", *o.assumed);
  return text;
}

std::string svg_name(Clicks clicks) { return "loss-" + name_of(clicks) + ".svg"; }

/// A grid that runs.
class Grid {
 public:
  Grid(Program const& program, PoisoningOptions const& options, TrainCell const& train)
      : o_(options),
        train_(train),
        source_(options),
        recorder_(program, without_out()),
        progress_(options.quiet),
        axes_(axes_of(options)) {
    // The data is hashed first: a folder of a grid on other data is refused before anything is loaded.
    DataHash hash;
    for (std::size_t i = 0; i < source_.size(); ++i) hash.add(source_.name(i));
    recorder_.data_source(absolute_data_path(o_.data), hash.hex());
    axes_.folds.clear();
    for (std::size_t i = 0; i < source_.size(); ++i) axes_.folds.push_back(source_.number(i));
    if (!o_.out.empty()) {
      bool const goes_on = !o_.force && std::filesystem::exists(o_.out / "grid.csv");
      folder_.emplace(o_.out, o_.force || goes_on);
    }
    cells_.emplace(o_.out, setting_json(program, hash.hex()), o_.force);
    for (std::uint64_t const fold : axes_.folds)
      for (GridKey const& key : axes_.trainings(fold)) {
        ++planned_;
        if (cells_->results().contains(key)) ++read_;
      }
  }

  void run() {
    for (std::size_t i = 0; i < source_.size() && !stop_requested(); ++i) train_fold(i);
    if (stop_requested()) {
      static_cast<void>(stop_here());
      if (cells_->results().empty())
        throw Interrupted(fmt::format("interrupted by {} before the first training ended; no new files are left",
                                      stop_signal_name()));
    }
    keep_results();
    progress_.clear();
    if (cells_->results().empty() && !failures_.empty()) throw std::runtime_error(failure_text());
    GridSummary const summary(axes_, cells_->results(), failures_);
    write(summary);
    report(summary);
    errors_.finish();
    if (!failures_.empty() && !stop_requested()) throw std::runtime_error(failure_text());
  }

 private:
  /// The Recorder only makes run.json: its files are those of a single run.
  [[nodiscard]] CommonOptions const& without_out() {
    recorded_ = o_;
    recorded_.out.clear();
    return recorded_;
  }

  void train_fold(std::size_t index) {
    std::vector<GridKey> keys = axes_.trainings(axes_.folds[index]);
    std::erase_if(keys, [&](GridKey const& key) { return cells_->results().contains(key); });
    if (keys.empty() && index > 0) return;  // the first fold describes the data in run.json
    double const before = source_.seconds();
    NamedFold const fold = source_.load(index);
    recorder_.add_seconds("load", source_.seconds() - before);
    require_click_tables(fold);
    if (index == 0) recorder_.dataset(summary_of(fold));
    FeaturePattern const targets = targets_of(o_, fold.train);
    if (keys.empty()) return;
    keep_results();
    Stopwatch const clock;
    std::mutex mutex;
    run_jobs(
        keys.size(), thread_count(o_),
        [&](std::size_t job) {
          std::optional<GridResult> result;
          std::string failure;
          try {
            result = train_(fold, targets, keys[job]);
          } catch (std::exception const& error) {  // the other trainings go on
            failure = error.what();
          }
          std::scoped_lock const lock(mutex);
          if (!failure.empty()) failures_.emplace(keys[job], failure);
          if (!result) return;
          cells_->add(keys[job], *result);
          ++trained_;
        },
        [&] {
          std::scoped_lock const lock(mutex);
          show_progress();
        });
    train_seconds_ += clock.seconds();
  }

  /// One sentence about the failed trainings, with the reason of the first.
  [[nodiscard]] std::string failure_text() const {
    auto const& [key, reason] = *failures_.begin();
    return fmt::format("{} of {} trainings failed; the first is {} with m = {}, {}, {} clicks, fold {} and seed {}: {}",
                       grouped(failures_.size()), grouped(planned_), name_of(key.defence), key.malicious,
                       key.attack == AttackKind::none ? "no attack" : name_of(key.attack), name_of(key.clicks),
                       key.fold, key.seed, reason);
  }

  [[nodiscard]] std::uint64_t interactions() const {
    return std::uint64_t{trained_} * o_.rounds * o_.clients * o_.interactions;
  }

  void show_progress() {
    progress_.show({.round = trained_ + failures_.size(),
                    .rounds = planned_ - read_,
                    .interactions = interactions(),
                    .seconds = clock_.seconds(),
                    .unit = "training"});
  }

  [[nodiscard]] bool complete() const { return read_ + trained_ + failures_.size() == planned_; }

  void write(GridSummary const& summary) {
    if (o_.out.empty()) return;
    std::set<std::filesystem::path> written;
    auto const attempt = [&](std::string const& file, auto const& make) {
      if (errors_.attempt([&] { make(); })) {
        written.insert(file);
        files_.push_back(file);
      }
    };
    attempt("grid.csv", [&] { cells_->finish(); });
    written.insert("grid.json");
    attempt("grid-means.csv", [&] { write_file(o_.out / "grid-means.csv", grid_means(summary)); });
    if (auto const findings = grid_findings(summary); !findings.empty())
      attempt("findings.csv", [&] { write_file(o_.out / "findings.csv", findings_csv(findings)); });
    for (Clicks const clicks : axes_.clicks)
      attempt(svg_name(clicks), [&] {
        write_file(o_.out / svg_name(clicks), svg_heat_map(grid_heat_map(summary, clicks, setting_text(o_))));
      });
    files_.emplace_back("grid.json");
    attempt("run.json", [&] { write_file(o_.out / "run.json", json_file(run_json(summary))); });
    folder_->remove_earlier_result(written);
  }

  [[nodiscard]] Json run_json(GridSummary const& summary) const {
    Json json = recorder_.run_json();
    if (json.contains("interruption"))
      json["interruption"] = {
          {"signal", stop_signal_name()}, {"trainings", read_ + trained_}, {"trainings_planned", planned_}};
    auto files = files_;
    files.emplace_back("run.json");
    std::ranges::sort(files);
    json["files"] = files;
    json["result"] = grid_json(summary);
    json["result"]["trainings"] = read_ + trained_;
    json["result"]["trainings_read"] = read_;
    json["seconds"]["train"] = train_seconds_;
    json["interactions"] = interactions();
    json["interactions_per_second"] = number_or_null(static_cast<double>(interactions()) / train_seconds_);
    return json;
  }

  [[nodiscard]] static std::string with_empty_line(std::string const& text) { return text.empty() ? "" : text + '\n'; }

  void report(GridSummary const& summary) const {
    Terminal const terminal = Terminal::of(stdout);
    std::size_t const width = std::min<std::size_t>(terminal.width, 100);
    fmt::print("poisoning: {}\n\n{}\n", setting_text(o_), grid_tables(summary, terminal.utf8));
    if (complete())
      fmt::print("{}{}\n", with_empty_line(findings_table(grid_findings(summary), terminal.utf8)),
                 grid_answers(summary, o_.clients, width));
    else
      fmt::print(
          "interrupted   by {} after {} of {} trainings; means and worst attacks are of these\n{}", stop_signal_name(),
          grouped(read_ + trained_), grouped(planned_),
          o_.out.empty() ? "" : fmt::format("              the same command goes on from {}\n\n", o_.out.string()));
    std::string trainings = grouped(planned_);
    if (read_ > 0) trainings += fmt::format(", {} of them from an earlier start of this grid", grouped(read_));
    if (!failures_.empty()) trainings += fmt::format(", {} failed", grouped(failures_.size()));
    if (complete()) fmt::print("trainings     {}\n", trainings);
    if (trained_ > 0)
      fmt::print("interactions  {}, {} per second\n", grouped(interactions()),
                 abbreviated(static_cast<double>(interactions()) / train_seconds_));
    fmt::print("time          train {}\n", duration(train_seconds_));
    if (!files_.empty()) fmt::print("written to    {}: {}\n", o_.out.string(), join(files_, ", "));
  }

  PoisoningOptions const& o_;
  TrainCell const& train_;
  DataSource source_;
  CommonOptions recorded_;
  Recorder recorder_;
  Progress progress_;
  GridAxes axes_;
  std::optional<OutputFolder> folder_;
  std::optional<GridCells> cells_;
  OutputErrors errors_;
  std::vector<std::string> files_;
  std::size_t planned_ = 0;
  std::size_t read_ = 0;     // of an earlier start
  std::size_t trained_ = 0;  // now
  GridFailures failures_;    // now; the next start trains them again
  double train_seconds_ = 0;
  Stopwatch clock_;
};

}  // namespace

void run_grid(Program const& program, PoisoningOptions const& options, TrainCell const& train) {
  Grid(program, options, train).run();
}

}  // namespace fltr::examples
