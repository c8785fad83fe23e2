#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "files.hpp"
#include "output_folder.hpp"
#include "stopwatch.hpp"

namespace fltr::examples {

/// The files of a result in --out: rounds.csv, queries.csv, the models, curve.svg and run.json. Without --out it does
/// nothing.
///
/// A file that cannot be written (a full disk) does not prevent the other files from being written. Where an earlier
/// result is replaced (--force), it is replaced as a whole or not at all: if a file is missing, the earlier result
/// stays, and the names of the new files end in ".new".
class ResultFiles {
 public:
  /// Locks the folder, see OutputFolder, and opens rounds.csv and queries.csv. An empty path: no --out.
  ResultFiles(std::filesystem::path folder, bool force, std::vector<std::string> const& extra_columns);
  ResultFiles(ResultFiles const&) = delete;
  ResultFiles& operator=(ResultFiles const&) = delete;

  /// A folder in --out with its own queries.csv and models.
  void add_folder(std::string const& folder);

  /// Whether rows are still written: false without --out and after `finish`.
  [[nodiscard]] bool is_open() const noexcept { return rounds_.has_value(); }
  /// Appends lines to rounds.csv. Each line ends in a line feed.
  void append_rounds(std::string_view lines);
  /// Appends lines to the queries.csv of a folder ("": of --out itself).
  void append_queries(std::string const& folder, std::string_view lines);
  /// Writes a file in --out. The file is written at once, or by `finish` if it cannot be written yet or would replace a
  /// file of an earlier result.
  void write(std::filesystem::path const& file, std::string bytes);

  /// Calls `write()`, which writes a file outside of --out, and keeps its exception for `throw_if_missing`.
  template <class Write>
  void attempt(Write&& write) {
    errors_.attempt(std::forward<Write>(write));
  }

  /// Completes all files, then gives them their names. The functions return the contents of curve.svg and run.json;
  /// run.json is asked for last, when `names` and `missing` are known. A second call does nothing.
  void finish(std::function<std::string()> const& curve_svg, std::function<std::string()> const& run_json);
  /// Throws a std::runtime_error that names the files that could not be written, if there are any.
  void throw_if_missing() const;

  /// The files of this result, relative to --out.
  [[nodiscard]] std::vector<std::string> names() const;
  /// The files that could not be written, relative to --out.
  [[nodiscard]] std::vector<std::string> const& missing() const noexcept { return missing_; }
  /// The files of this result for the report: "run.json, rounds.csv, 2 models model-foldF-seedS.fltr, client1/".
  [[nodiscard]] std::string listed() const;

 private:
  /// Complete files that have no name yet, by their name in --out.
  using CompleteFiles = std::vector<std::pair<std::filesystem::path, GrowingFile*>>;

  void append(GrowingFile& file, std::string_view lines);
  void give_names(CompleteFiles const& complete, std::function<std::string()> const& run_json);
  /// For a new result that is not complete: the earlier result stays, and the names of these files get an ending.
  void keep_earlier_result(CompleteFiles const& complete);
  [[nodiscard]] bool is_written(std::filesystem::path const& file) const;

  std::filesystem::path folder_;
  std::optional<OutputFolder> out_;
  std::optional<GrowingFile> rounds_;
  std::map<std::string, GrowingFile> queries_;              // by folder; "": --out itself
  std::map<std::filesystem::path, std::string> unwritten_;  // contents, by file
  std::set<std::filesystem::path> written_;                 // includes files that turn out to be missing
  std::vector<std::string> missing_;
  std::vector<std::string> folders_;
  OutputErrors errors_;
  std::string note_;            // the end of the error text
  bool earlier_stays_ = false;  // although --force asked to replace it
  Stopwatch clock_;
  double next_flush_ = 1;  // seconds
};

}  // namespace fltr::examples
