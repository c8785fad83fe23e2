#include "result_files.hpp"

#include <algorithm>
#include <deque>
#include <system_error>

#include <fmt/core.h>

#include "interruption.hpp"
#include "query_results.hpp"
#include "round_row.hpp"
#include "text.hpp"

namespace fltr::examples {

ResultFiles::ResultFiles(std::filesystem::path folder, bool force, std::vector<std::string> const& extra_columns)
    : folder_(std::move(folder)) {
  if (folder_.empty()) return;
  out_.emplace(folder_, force);
  rounds_.emplace(folder_ / "rounds.csv");
  std::string header(round_columns);
  for (std::string const& column : extra_columns) header += ',' + csv_field(column);
  written_.insert("rounds.csv");
  append(*rounds_, header + '\n');
  rounds_->flush();
  add_folder("");
}

void ResultFiles::add_folder(std::string const& folder) {
  if (!out_) return;
  if (!folder.empty()) {
    out_->add(folder);
    folders_.push_back(folder);
  }
  written_.insert(std::filesystem::path(folder) / "queries.csv");
  GrowingFile& file = queries_.try_emplace(folder, folder_ / folder / "queries.csv").first->second;
  std::string header(query_columns);
  for (QueryMetric const& metric : query_metrics) header.append(",").append(metric.column);
  append(file, header + '\n');
}

void ResultFiles::append_rounds(std::string_view lines) {
  if (rounds_) append(*rounds_, lines);
}

void ResultFiles::append_queries(std::string const& folder, std::string_view lines) {
  if (!rounds_) return;
  auto const file = queries_.find(folder);
  if (file == queries_.end())
    throw std::logic_error("ResultFiles::append_queries: required a folder of add_folder, got " + folder);
  append(file->second, lines);
}

void ResultFiles::append(GrowingFile& file, std::string_view lines) {
  file.append(lines);
  if (double const now = clock_.seconds(); now >= next_flush_) {  // other programs can follow a long run
    rounds_->flush();
    for (auto& [folder, queries] : queries_) queries.flush();
    next_flush_ = now + 1;
  }
}

void ResultFiles::write(std::filesystem::path const& file, std::string bytes) {
  if (!out_) return;
  written_.insert(file);
  if (!out_->has_earlier_result()) {
    try {
      return write_file(folder_ / file, bytes);
    } catch (std::exception const&) {  // `finish` tries again
    }
  }
  unwritten_[file] = std::move(bytes);
}

void ResultFiles::finish(std::function<std::string()> const& curve_svg, std::function<std::string()> const& run_json) {
  if (!rounds_) return;
  written_.insert({"curve.svg", "run.json"});

  // Every file is complete on the disk before the first one gets its name.
  std::deque<GrowingFile> whole_files;
  CompleteFiles complete;
  auto const prepare = [&](std::filesystem::path const& file, auto const& make) {
    bool const done = errors_.attempt([&] {
      GrowingFile& made = make();
      made.finish();
      complete.emplace_back(file, &made);
    });
    if (!done) missing_.push_back(file.string());
  };
  auto const prepare_whole = [&](std::filesystem::path const& file, auto const& bytes) {
    prepare(file, [&]() -> GrowingFile& {
      GrowingFile& made = whole_files.emplace_back(folder_ / file);
      made.append(bytes());
      return made;
    });
  };
  prepare("rounds.csv", [&]() -> GrowingFile& { return *rounds_; });
  for (auto& [folder, queries] : queries_)
    prepare(std::filesystem::path(folder) / "queries.csv", [&q = queries]() -> GrowingFile& { return q; });
  for (auto const& [file, bytes] : unwritten_) prepare_whole(file, [&b = bytes]() -> std::string const& { return b; });
  unwritten_.clear();
  prepare_whole("curve.svg", curve_svg);
  prepare_whole("run.json", run_json);

  if (out_->has_earlier_result() && !missing_.empty()) {
    keep_earlier_result(complete);
  } else {
    give_names(complete, run_json);
    if (missing_.empty()) out_->remove_earlier_result(written_);
  }
  rounds_.reset();
  queries_.clear();
}

void ResultFiles::keep_earlier_result(CompleteFiles const& complete) {
  earlier_stays_ = true;
  out_->remove_remnants();  // of a run before this one that was not complete either
  std::size_t beside = 0;
  for (auto const& [file, made] : complete)
    if (errors_.attempt([&m = *made] { m.commit_beside(new_ending); })) ++beside;
  note_ = fmt::format("; the earlier result in {} stays as it was", folder_.string());
  if (beside > 0) note_ += fmt::format("; the new files are beside it, their names end in {}", new_ending);
}

void ResultFiles::give_names(CompleteFiles const& complete, std::function<std::string()> const& run_json) {
  auto const hold = hold_unfinished_files();
  // run.json is the last: if it exists, the other files exist, or it lists those that are missing.
  std::error_code ignored;
  std::filesystem::remove(folder_ / "run.json", ignored);
  std::size_t const missing = missing_.size();
  for (auto const& [file, made] : complete) {
    bool const named = errors_.attempt([&, &f = file, &m = *made] {
      if (f == "run.json" && missing_.size() > missing)
        write_file(folder_ / f, run_json());  // lists the files that could not be renamed
      else
        m.commit();
    });
    if (named) continue;
    missing_.push_back(file.string());
    std::filesystem::remove(folder_ / file, ignored);  // a file of the earlier result
  }
}

void ResultFiles::throw_if_missing() const { errors_.finish(note_); }

bool ResultFiles::is_written(std::filesystem::path const& file) const {
  return written_.contains(file) && std::ranges::find(missing_, file.string()) == missing_.end();
}

std::vector<std::string> ResultFiles::names() const {
  std::vector<std::string> names;
  for (auto const& file : written_)
    if (is_written(file)) names.push_back(file.string());
  return names;
}

std::string ResultFiles::listed() const {
  auto const ending = earlier_stays_ ? new_ending : std::string_view();
  std::vector<std::string> files;
  for (std::string const name : {"run.json", "rounds.csv", "queries.csv", "curve.svg", "skew.svg", "model.fltr"})
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
  return join(files, ", ");
}

}  // namespace fltr::examples
