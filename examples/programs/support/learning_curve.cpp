#include <algorithm>
#include <map>
#include <span>

#include <fmt/core.h>

#include <fltr/metrics/summary_statistics.hpp>

#include "recorder.hpp"
#include "text.hpp"

namespace fltr::examples {

namespace {

using Points = Run::Points;

/// Mean and deviation over the runs, at the rounds that all runs have.
template <class PointsOf>
Series averaged(std::span<Run const* const> runs, std::string label, Series::Style style, PointsOf const& points) {
  std::map<std::uint64_t, std::vector<double>> values;
  for (Run const* const run : runs)
    for (auto const& [round, value] : points(*run)) values[round].push_back(value);
  Series series{.label = std::move(label), .x = {}, .y = {}, .style = style};
  for (auto const& [round, at_round] : values) {
    if (at_round.size() != runs.size()) continue;
    series.x.push_back(static_cast<double>(round));
    series.y.push_back(mean(at_round));
    if (runs.size() > 1) series.deviation.push_back(standard_deviation(at_round));
  }
  return series;
}

/// The runs that no signal ended, or all runs if a signal ended each of them: a shorter run would shorten the mean
/// curve.
std::vector<Run const*> complete_runs(std::deque<Run> const& runs) {
  std::vector<Run const*> chosen;
  for (bool const cut_short : {false, true})
    if (chosen.empty())
      for (Run const& run : runs)
        if (run.cut_short() == cut_short) chosen.push_back(&run);
  return chosen;
}

constexpr std::size_t most_points = 800;         // of a line
constexpr std::size_t most_online_points = 80;   // online results vary more between rounds
constexpr std::size_t most_setting_length = 92;  // characters that fit under the title of the chart

}  // namespace

std::string Recorder::setting() const {
  std::vector<std::string> parts;
  if (!instead_of_clients_.empty()) {
    parts.push_back(instead_of_clients_);
  } else {
    auto const count = [](std::uint64_t n, char const* what) { return grouped(n) + ' ' + what + (n == 1 ? "" : "s"); };
    if (program_->uses("--clients")) parts.push_back(count(options_->clients, "client"));
    if (program_->uses("--interactions")) parts.push_back(count(options_->interactions, "interaction") + " each");
  }
  if (program_->uses("--clicks"))
    parts.push_back(options_->clicks == Clicks::perfect        ? "perfect clicks"
                    : options_->clicks == Clicks::navigational ? "navigational clicks"
                                                               : "informational clicks");
  if (program_->uses("--ranker"))
    parts.push_back(options_->ranker == RankerKind::linear ? "linear ranker" : "neural ranker");
  std::string const text = join(parts, ", ");
  if (!program_->uses("--data")) return text;
  // The end of the path differs between data sets.
  std::size_t const room = most_setting_length - std::min(most_setting_length, character_count(text) + 2);
  return shortened_path(options_->data, room) + (text.empty() ? "" : ", " + text);
}

std::string Recorder::x_label() const { return unit_ == "round" ? unit_ : fmt::format("number of {}s", unit_); }

Chart Recorder::chart() const {
  if (picture_) return *picture_;
  bool const several = runs_.size() > 1;
  Chart chart{.title = fmt::format("{}: nDCG@10 by {}", program_->name(), x_label()),
              .subtitle = setting(),
              .x_label = x_label(),
              .y_label = "nDCG@10",
              .series = {}};
  auto const runs = complete_runs(runs_);
  chart.series.push_back(thinned(
      averaged(
          runs, several ? fmt::format("{}, mean ± sd of {} runs", own_label_, runs.size()) : own_label_,
          Series::Style::solid,
          [this](Run const& run) -> Points const& { return own_points_ ? run.curve_points() : run.offline_points(); }),
      most_points));
  for (std::size_t which = 0; which < reference_labels_.size(); ++which)
    chart.series.push_back(
        thinned(averaged(runs, reference_labels_[which],
                         which == 0   ? Series::Style::reference
                         : which == 1 ? Series::Style::second_reference
                                      : Series::Style::third_reference,
                         [which](Run const& run) -> Points const& { return run.reference_points(which); }),
                most_points));
  if (!reference_labels_.empty()) return chart;  // the online curves would hide the others
  Series online = averaged(runs, several ? "online, mean" : "online", Series::Style::dashed,
                           [](Run const& run) -> Points const& { return run.online_points(); });
  if (!online.x.empty()) {
    online.deviation.clear();
    std::size_t const rounds = online.x.size();
    online = binned(online, most_online_points);
    if (online.x.size() < rounds)
      online.label += fmt::format(" ({} rounds a point)", (rounds + most_online_points - 1) / most_online_points);
    chart.series.push_back(std::move(online));
  }
  if (several) {
    Series first{.label = "offline, first run", .x = {}, .y = {}, .style = Series::Style::thin};
    for (auto const& [round, value] : runs_.front().offline_points()) {
      first.x.push_back(static_cast<double>(round));
      first.y.push_back(value);
    }
    chart.series.push_back(thinned(first, most_points));
  }
  return chart;
}

}  // namespace fltr::examples
