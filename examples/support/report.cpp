#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include <fmt/core.h>

#include "recorder.hpp"
#include "summary_statistics.hpp"
#include "table.hpp"

namespace fltr::examples {

namespace {

/// The name of a result for people: offline_ndcg10 is "offline nDCG@10".
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

/// Counts have no decimals, unless they are means.
int decimals_for(std::string_view name, double value) {
  constexpr std::array<std::string_view, 5> counts{"dropped_messages", "rejected_messages", "trees", "tuned_leaves",
                                                   "tuned_min_data"};
  bool const count = std::ranges::find(counts, name) != counts.end();
  if (!count && std::abs(value) < 10) return 4;
  return value == std::round(value) ? 0 : 2;
}

}  // namespace

std::string Recorder::report(bool utf8, std::size_t width) const {
  Chart const drawn = chart();
  std::string text = fmt::format("{}: {}\n\n", program_->name(), drawn.subtitle);
  if (!options_->quiet) {
    Chart offline = drawn;
    offline.title = "offline nDCG@10 by round";
    if (runs_.size() > 1) offline.title += fmt::format(", mean of {} runs", runs_.size());
    if (std::string const curve = terminal_chart(offline, width, utf8); !curve.empty()) text += curve + '\n';
  }

  bool const several = runs_.size() > 1;
  std::string const sd = utf8 ? " ± sd" : " +- sd";
  Table table({"result", several ? fmt::format("mean{} of {} runs", sd, runs_.size()) : "value"});
  auto const cell = [&](std::string const& name, std::size_t fold) {
    auto const values = results(name, fold);
    double const centre = mean(values);
    return mean_and_deviation(centre, standard_deviation(values), decimals_for(name, centre), utf8);
  };
  std::vector<double> start;
  for (Run const& run : runs_)
    if (run.offline_points_.size() > 1 && run.offline_points_.front().first == 0)
      start.push_back(run.offline_points_.front().second);
  if (!start.empty() && start.size() == runs_.size())
    table.add({"offline nDCG@10 at the start", mean_and_deviation(mean(start), standard_deviation(start), 4, utf8)});
  auto const shown = [&](std::string const& name) {
    if (name != "dropped_messages" && name != "rejected_messages") return true;
    auto const values = results(name, 0);
    return std::ranges::any_of(values, [](double value) { return value > 0; });
  };
  for (std::string const& name : result_names())
    if (std::string value = cell(name, 0); value != "-" && shown(name)) table.add({readable(name), std::move(value)});
  text += table.text(utf8) + '\n';

  if (auto const numbers = folds(); numbers.size() > 1) {
    Table by_fold({"fold", "offline nDCG@10", "offline MRR@10", "online nDCG@10"});
    for (std::size_t const fold : numbers)
      by_fold.add({std::to_string(fold), cell("offline_ndcg10", fold), cell("offline_mrr10", fold),
                   cell("online_ndcg10", fold)});
    text += by_fold.text(utf8) + '\n';
  }

  auto const line = [&](std::string_view what, std::string const& value) {
    text += fmt::format("{:<13} {}\n", what, value);
  };
  if (was_interrupted()) line("interrupted", "by " + interruption());
  if (dataset_.clamped > 0) {
    double const at = options_->clamp;
    line("clamped", fmt::format("{} feature values beyond {} or {}; see --clamp", grouped(dataset_.clamped),
                                shortest(-at), shortest(at)));
  }
  if (!runs_.empty() && runs_.front().privacy_) {
    PrivacySpent const& spent = *runs_.front().privacy_;
    line("privacy", fmt::format("epsilon {:.5g} nominal, {:.5g} accounted, delta {:g}", spent.epsilon_nominal,
                                spent.epsilon_accounted, spent.delta));
    if (!spent.reason.empty()) line("", "accounted is infinite: " + spent.reason);
    if (!spent.assumption.empty()) line("", "accounted " + spent.assumption);
  }
  if (interactions() > 0)
    line("interactions", fmt::format("{}, {} per second", grouped(interactions()),
                                     abbreviated(static_cast<double>(interactions()) / train_seconds())));
  std::vector<std::string> times;
  for (auto const& [name, value] : seconds_) times.push_back(name + ' ' + duration(value));
  times.push_back("train " + duration(train_seconds()));
  times.push_back("evaluate " + duration(evaluate_seconds()));
  line("time", join(times, ", "));
  if (!model_sha256_.empty()) line("model sha256", model_sha256_);
  if (!options_->out.empty()) {
    auto const ending = earlier_stays_ ? new_ending : std::string_view();
    std::vector<std::string> files;
    for (std::string const name : {"run.json", "rounds.csv", "queries.csv", "curve.svg", "model.fltr"})
      if (is_written(name)) files.push_back(name + std::string(ending));
    auto const models = std::ranges::count_if(written_, [&](std::filesystem::path const& file) {
      return file.string().starts_with("model-") && is_written(file);
    });
    if (models > 0)
      files.push_back(fmt::format("{} model{} model-foldF-seedS.fltr{}", models, models == 1 ? "" : "s", ending));
    for (std::string const& folder : folders_)
      if (std::ranges::any_of(written_,
                              [&](auto const& file) { return file.parent_path() == folder && is_written(file); }))
        files.push_back(folder + '/');
    if (!files.empty()) line("written to", fmt::format("{}: {}", options_->out.string(), join(files, ", ")));
  }
  return text;
}

}  // namespace fltr::examples
