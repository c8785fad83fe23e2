#include <algorithm>
#include <limits>
#include <stdexcept>

#include <fmt/core.h>

#include <fltr/core/sha256.hpp>

#include "recorder.hpp"

namespace fltr::examples {

bool Run::evaluates(std::uint64_t round) const {
  CommonOptions const& options = *recorder_->options_;
  return round == 0 || round % options.eval_every == 0 || round == options.rounds;
}

void Run::add(RoundRow row, Keep keep) {
  if (ended_) throw std::logic_error("Run::add: the run has ended");
  if (row.extra.size() != recorder_->extra_columns_.size())
    throw std::logic_error(
        fmt::format("Run::add: required {} own columns, got {}", recorder_->extra_columns_.size(), row.extra.size()));
  if (keep == Keep::yes) write_rows();
  interactions_ += row.interactions;
  dropped_ += row.dropped;
  rejected_ += row.rejected;
  row.interactions = interactions_;
  train_seconds_ = clock_.seconds() - evaluate_seconds_;
  if (row.round > 0) keep_results();
  last_round_ = row.round;
  if (row.privacy) privacy_ = row.privacy;
  if (row.online_ndcg10) {
    online_points_.emplace_back(row.round, *row.online_ndcg10);
    online_discounted_ += weight_ * *row.online_ndcg10;
  }
  if (row.round > 0) weight_ *= online_discount;
  if (row.offline) {
    offline_ = *row.offline;
    offline_points_.emplace_back(row.round, row.offline->ndcg10);
  }
  if (keep == Keep::yes) kept_offline_ = offline_;
  rows_.push_back({std::move(row), train_seconds_, keep});
  recorder_->show_progress(*this);
}

bool Run::stops() {
  if (!stop_here()) return false;
  cut_short_ = true;
  return true;
}

void Run::add_offline(Offline const& offline) {
  drop_unfollowed();
  if (rows_.empty()) throw std::logic_error("Run::add_offline: there is no round yet");
  RoundRow& last = rows_.back().row;
  if (last.offline) offline_points_.pop_back();
  last.offline = offline;
  offline_ = offline;
  offline_points_.emplace_back(last.round, offline.ndcg10);
}

void Run::stage(std::size_t number, std::size_t count, std::string name, bool at_once) {
  stage_ = ProgressStage{number, count, std::move(name)};
  recorder_->show_progress(*this, at_once);
}

void Run::write_rows() {
  for (Row const& row : rows_) recorder_->write_row(*this, row.row, row.seconds);
  rows_.clear();
}

void Run::drop_unfollowed() {
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
  if (rows_.empty()) train_seconds_ = clock_.seconds() - evaluate_seconds_;
  drop_unfollowed();
  write_rows();
  ended_ = true;
}

bool Run::records_queries() const noexcept { return !recorder_->queries_files_.empty(); }

void Run::queries(Dataset const& test, std::span<QueryValues const> values, std::string const& folder) {
  if (ended_ || folders_with_queries_.contains(folder))
    throw std::logic_error("Run::queries: required once in a run, before its end");
  if (values.size() != test.size())
    throw std::logic_error(fmt::format("Run::queries: required {} values, got {}", test.size(), values.size()));
  folders_with_queries_.insert(folder);
  if (!records_queries()) return;
  std::string lines;
  for (std::size_t q = 0; q < test.size(); ++q) {
    if (!values[q].front()) continue;
    lines += fmt::format("{},{},{},{}", number_, seed_, fold_, csv_field(test.qid(q)));
    for (auto const& value : values[q]) lines += ',' + (value ? shortest(*value) : "");
    lines += '\n';
  }
  auto const file = recorder_->queries_files_.find(folder);
  if (file == recorder_->queries_files_.end())
    throw std::logic_error("Run::queries: required Recorder::add_folder before, for " + folder);
  recorder_->write_lines(file->second, lines);
}

void Run::model(std::span<std::byte const> bytes, std::string const& folder) {
  if (number_ == 1 && folder.empty()) recorder_->model_sha256_ = sha256_hex(bytes);
  recorder_->write_result(std::filesystem::path(folder) / recorder_->model_name(*this),
                          std::string(reinterpret_cast<char const*>(bytes.data()), bytes.size()));
}

std::vector<std::pair<std::string, double>> Run::results() const {
  // Online results are those of the last ten rounds: early ones would hide what was learnt.
  std::size_t const last = std::min<std::size_t>(online_points_.size(), 10);
  double online = last > 0 ? 0 : std::numeric_limits<double>::quiet_NaN();
  for (std::size_t i = online_points_.size() - last; i < online_points_.size(); ++i)
    online += online_points_[i].second / static_cast<double>(last);
  std::vector<std::pair<std::string, double>> results{
      {"offline_ndcg10", offline_.ndcg10},
      {"offline_ndcg5", offline_.ndcg5},
      {"offline_mrr10", offline_.mrr10},
      {"offline_maxrr", offline_.maxrr},
      {"online_ndcg10", online},
      {"online_discounted", last > 0 ? online_discounted_ : std::numeric_limits<double>::quiet_NaN()},
      {"dropped_messages", static_cast<double>(dropped_)},
      {"rejected_messages", static_cast<double>(rejected_)}};
  results.insert(results.end(), own_results_.begin(), own_results_.end());
  return results;
}

}  // namespace fltr::examples
