#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <fltr/aggregators/detail/row_distances.hpp>
#include <fltr/aggregators/detail/row_set.hpp>

namespace fltr::detail {

/// Two rows are in conflict if their squared distance is above a limit. Searches for rows without a conflict by leaving
/// out at most f rows, that is, for a vertex cover of size f of the graph of conflicts. The search branches on the row
/// with the most conflicts: either this row is left out, or all rows in conflict with it. At most 1.47^f branches: rows
/// with at most two conflicts form paths and cycles, whose smallest covers are known.
class ConflictFreeRows {
 public:
  /// `steps` is decremented by each step of a search. A search without steps left fails.
  ConflictFreeRows(RowDistances const& distances, double limit, std::uint64_t& steps)
      : conflicts_(distances.size(), RowSet(distances.size())), steps_(steps) {
    for (std::size_t i = 0; i < conflicts_.size(); ++i) {
      auto const row = distances.row(i);
      for (std::size_t j = 0; j < row.size(); ++j)
        if (row[j] > limit) conflicts_[i].insert(j);
    }
  }

  [[nodiscard]] RowSet const& conflicts(std::size_t row) const { return conflicts_[row]; }

  /// Whether `kept` has no conflict after at most `left_out` more rows are left out.
  [[nodiscard]] bool possible(RowSet kept, std::size_t left_out) {
    for (;;) {
      if (steps_ == 0) return false;
      --steps_;
      std::size_t most = 0;
      std::size_t row = 0;
      std::size_t total = 0;
      for (std::size_t i = 0; i < conflicts_.size(); ++i) {
        if (!kept.contains(i)) continue;
        std::size_t const count = RowSet::common(conflicts_[i], kept);
        total += count;
        if (count > most) {
          most = count;
          row = i;
        }
      }
      // A row that is left out ends at most `most` conflicts.
      if (total / 2 > left_out * most) return false;
      if (most == 0) return true;
      if (most <= 2) return smallest_cover_of_paths(kept) <= left_out;
      if (most <= left_out) {
        RowSet others = kept;
        others.erase(conflicts_[row]);
        if (possible(std::move(others), left_out - most)) return true;
      }
      kept.erase(row);
      --left_out;
    }
  }

 private:
  /// The number of rows to leave out of a graph of paths and cycles: half the rows of each path, rounded down, and of
  /// each cycle, rounded up.
  [[nodiscard]] std::size_t smallest_cover_of_paths(RowSet rest) const {
    std::size_t cover = 0;
    for (bool const cycles : {false, true}) {  // paths first, from their ends
      for (std::size_t first = 0; first < conflicts_.size(); ++first) {
        if (!rest.contains(first) || RowSet::common(conflicts_[first], rest) != (cycles ? 2U : 1U)) continue;
        std::size_t length = 0;
        for (std::size_t row = first; row < conflicts_.size(); ++length) {
          rest.erase(row);
          row = next(row, rest);
        }
        cover += (length + (cycles ? 1 : 0)) / 2;
      }
    }
    return cover;
  }
  /// A row of `rest` in conflict with this one, or the number of rows.
  [[nodiscard]] std::size_t next(std::size_t row, RowSet const& rest) const {
    std::size_t other = 0;
    while (other < conflicts_.size() && !(rest.contains(other) && conflicts_[row].contains(other))) ++other;
    return other;
  }

  std::vector<RowSet> conflicts_;
  std::uint64_t& steps_;
};

}  // namespace fltr::detail
