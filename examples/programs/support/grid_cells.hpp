#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "json.hpp"
#include "poisoning_kinds.hpp"

namespace fltr::examples {

/// A training of a grid.
struct GridKey {
  std::uint64_t fold = 1;
  std::uint64_t seed = 1;
  Clicks clicks = Clicks::perfect;
  Defence defence{};
  AttackKind attack = AttackKind::none;
  std::uint32_t malicious = 0;  ///< malicious clients; 0 without an attack
  std::uint32_t assumed = 0;    ///< the number that the aggregator assumes

  auto operator<=>(GridKey const&) const = default;
};

/// What the training measured.
struct GridResult {
  double ndcg10 = 0;                      ///< of the last ranker, on test; NaN: no test query has a relevant document
  std::optional<double> target_rank{};    ///< mean rank of the documents that `promote` wants to see on top
  std::optional<std::uint32_t> caught{};  ///< malicious clients that the detector flagged; none: it does not detect
  std::optional<std::uint32_t> false_alarms{};  ///< honest clients that it flagged
  std::optional<std::uint32_t> alarm_round{};   ///< the first round with a flagged client
};

using GridResults = std::map<GridKey, GridResult>;
/// The trainings that ended with an error, and its text.
using GridFailures = std::map<GridKey, std::string>;

/// The finished trainings of a grid, in grid.csv: one line each, appended as soon as the training ends. grid.json holds
/// the options that decide results. A killed grid goes on where it stopped, and the same folder may be used to extend a
/// grid by attacks, aggregators or seeds.
class GridCells {
 public:
  /// Reads the finished trainings in `folder`, and writes nothing yet; an empty path keeps results in memory only. The
  /// last line of grid.csv is ignored if it is torn. `setting` is an object of all options that decide results. Throws
  /// UsageError if the folder has trainings of another setting. With `force` nothing is read, and the first `add`
  /// replaces the files.
  GridCells(std::filesystem::path folder, Json setting, bool force);
  GridCells(GridCells const&) = delete;
  GridCells& operator=(GridCells const&) = delete;
  ~GridCells();

  [[nodiscard]] GridResults const& results() const noexcept { return results_; }
  /// Adds a finished training. If its line cannot be written, the next `add` or `finish` tries again.
  void add(GridKey const& key, GridResult const& result);
  /// Writes grid.csv in the order of the keys. Throws std::runtime_error if it cannot be written.
  void finish();

 private:
  void read(std::string const& text);
  /// Opens grid.csv for `append`. Tries again at the next call if a file cannot be written.
  void open();
  void append();

  std::filesystem::path folder_;
  std::unique_ptr<Json> setting_;
  std::string mark_;  // of the setting, in each line
  GridResults results_;
  std::string unwritten_;  // lines
  int file_ = -1;
  std::uint64_t size_ = 0;  // of the complete lines in the file
};

/// The column names of grid.csv.
[[nodiscard]] std::string const& grid_columns();

}  // namespace fltr::examples
