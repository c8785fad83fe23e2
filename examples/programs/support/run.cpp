#include "run.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <stdexcept>

#include <fmt/core.h>

#include "interruption.hpp"
#include "recorder.hpp"
#include "text.hpp"

namespace fltr::examples {

namespace {

std::string field(std::optional<double> value) { return value && !std::isnan(*value) ? shortest(*value) : ""; }

/// A line of rounds.csv.
std::string csv_line(Run const& run, RoundRow const& row, double seconds, bool no_online) {
  auto const offline = row.offline.value_or(Offline{});
  auto const spent = [&](double PrivacySpent::* part) { return row.privacy ? field((*row.privacy).*part) : ""; };
  std::string line = fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}", run.number(), run.seed(), run.fold(),
                                 row.round, no_online ? "" : std::to_string(row.interactions), field(offline.ndcg10),
                                 field(offline.mrr10), field(row.online_ndcg10), row.clients, row.dropped, row.rejected,
                                 spent(&PrivacySpent::epsilon_nominal), spent(&PrivacySpent::epsilon_accounted),
                                 spent(&PrivacySpent::delta), shortest(seconds));
  for (Cell const& cell : row.extra) line += ',' + csv_field(cell.text());
  return line + '\n';
}

}  // namespace

bool Run::evaluates(std::uint64_t round) const {
  CommonOptions const& options = recorder_->options();
  return round == 0 || round % options.evaluation_interval() == 0 || round == options.rounds;
}

void Run::add(RoundRow row, Keep keep) { add_at(std::move(row), keep, seconds_of_training()); }

void Run::add_again(RoundRow row, double seconds, Keep keep) { add_at(std::move(row), keep, seconds); }

void Run::continue_from(double train_seconds, double evaluate_seconds) {
  trained_before_ += train_seconds - seconds_of_training();
  evaluated_before_ = evaluate_seconds - evaluate_seconds_;
}

Checkpoints& Run::checkpoints() const noexcept { return recorder_->checkpoints(); }

void Run::add_at(RoundRow row, Keep keep, double seconds) {
  if (ended_) throw std::logic_error("Run::add: required a run that has not ended");
  if (row.extra.size() != recorder_->extra_columns())
    throw std::logic_error(
        fmt::format("Run::add: required {} own columns, got {}", recorder_->extra_columns(), row.extra.size()));
  if (keep == Keep::yes) write_rows();
  if (recorder_->options().no_online) row.online_ndcg10.reset();
  interactions_ += row.interactions;
  dropped_ += row.dropped;
  rejected_ += row.rejected;
  discarded_ += row.discarded ? 1 : 0;
  row.interactions = interactions_;
  train_seconds_ = seconds;
  if (row.round > 0) keep_results();
  last_round_ = row.round;
  if (row.privacy) privacy_ = row.privacy;
  if (row.online_ndcg10) online_points_.emplace_back(row.round, *row.online_ndcg10);
  if (row.round > 0) online_discounted_.add(row.online_ndcg10.value_or(0.0), 1);  // a round without lists counts 0
  if (row.offline) {
    offline_ = *row.offline;
    offline_points_.emplace_back(row.round, row.offline->ndcg10);
  }
  if (keep == Keep::yes) kept_offline_ = offline_;
  rows_.push_back({std::move(row), train_seconds_, keep});
  recorder_->show_progress(*this);
}

void Run::online_result(std::string name, double value) {
  if (!recorder_->options().no_online) result(std::move(name), value);
}

void Run::warn(std::string text) { recorder_->warn(std::move(text)); }

bool Run::stops() {
  if (!stop_here()) return false;
  cut_short_ = true;
  return true;
}

void Run::add_offline(Offline const& offline) {
  remove_unfollowed();
  if (rows_.empty()) throw std::logic_error("Run::add_offline: required at least one round, got none");
  RoundRow& last = rows_.back().row;
  if (last.offline) offline_points_.pop_back();
  last.offline = offline;
  offline_ = offline;
  offline_points_.emplace_back(last.round, offline.ndcg10);
}

void Run::add_reference(std::uint64_t round, double ndcg10, std::size_t which) {
  if (reference_points_.size() <= which) reference_points_.resize(which + 1);
  reference_points_[which].emplace_back(round, ndcg10);
}

Run::Points const& Run::reference_points(std::size_t which) const noexcept {
  static Points const none;
  return which < reference_points_.size() ? reference_points_[which] : none;
}

void Run::stage(std::size_t number, std::size_t count, std::string name, bool at_once) {
  stage_ = ProgressStage{number, count, std::move(name)};
  recorder_->show_progress(*this, at_once);
}

void Run::write_rows() {
  bool const no_online = recorder_->options().no_online;
  for (Row const& row : rows_) recorder_->files().append_rounds(csv_line(*this, row.row, row.seconds, no_online));
  rows_.clear();
}

void Run::remove_unfollowed() {
  while (!rows_.empty() && rows_.back().keep == Keep::if_followed) {
    RoundRow const& last = rows_.back().row;
    for (Points* const points : {&offline_points_, &online_points_})
      if (!points->empty() && points->back().first == last.round) points->pop_back();
    rows_.pop_back();
    offline_ = kept_offline_;
  }
}

void Run::end() {
  if (ended_) return;
  if (rows_.empty()) train_seconds_ = seconds_of_training();
  remove_unfollowed();
  write_rows();
  ended_ = true;
}

bool Run::records_queries() const noexcept { return recorder_->files().is_open(); }

void Run::queries(Dataset const& test, std::span<QueryValues const> values, std::string const& folder) {
  if (ended_ || folders_with_queries_.contains(folder))
    throw std::logic_error("Run::queries: required at most one call per folder, before the run ends");
  if (values.size() != test.size())
    throw std::logic_error(
        fmt::format("Run::queries: required the values of {} queries, got {}", test.size(), values.size()));
  folders_with_queries_.insert(folder);
  std::string lines;
  for (std::size_t q = 0; q < test.size(); ++q) {
    if (!values[q].front()) continue;
    lines += fmt::format("{},{},{},{}", number_, seed_, fold_, csv_field(test.qid(q)));
    for (auto const& value : values[q]) lines += ',' + (value ? shortest(*value) : "");
    lines += '\n';
  }
  recorder_->files().append_queries(folder, lines);
}

void Run::model(std::span<std::byte const> bytes, std::string sha256, std::string const& folder) {
  if (folder.empty()) model_sha256_ = std::move(sha256);
  recorder_->files().write(std::filesystem::path(folder) / recorder_->model_name(*this),
                           std::string(reinterpret_cast<char const*>(bytes.data()), bytes.size()));
}

NamedResults Run::results() const {
  // The mean over the last ten rounds: earlier rounds show lists of a model that had learned less.
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  std::size_t const last = std::min<std::size_t>(online_points_.size(), 10);
  double online = last > 0 ? 0 : none;
  for (std::size_t i = online_points_.size() - last; i < online_points_.size(); ++i)
    online += online_points_[i].second / static_cast<double>(last);
  NamedResults results{{"offline_ndcg10", offline_.ndcg10},
                       {"offline_ndcg5", offline_.ndcg5},
                       {"offline_mrr10", offline_.mrr10},
                       {"offline_maxrr", offline_.maxrr},
                       {"online_ndcg10", online},
                       {"online_discounted", last > 0 ? online_discounted_.value() : none},
                       {"dropped_messages", static_cast<double>(dropped_)},
                       {"rejected_messages", static_cast<double>(rejected_)},
                       {"discarded_rounds", static_cast<double>(discarded_)}};
  results.insert(results.end(), own_results_.begin(), own_results_.end());
  return results;
}

}  // namespace fltr::examples
