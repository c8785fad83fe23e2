#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <fltr/core/compiler.hpp>

namespace fltr::detail {

/// A set of rows, one bit each.
class RowSet {
 public:
  explicit RowSet(std::size_t rows) : words_((rows + 63) / 64) {}

  void insert(std::size_t row) { words_[row / 64] |= std::uint64_t{1} << (row % 64); }
  void erase(std::size_t row) { words_[row / 64] &= ~(std::uint64_t{1} << (row % 64)); }
  void erase(RowSet const& rows) {
    for (std::size_t w = 0; w < words_.size(); ++w) words_[w] &= ~rows.words_[w];
  }
  [[nodiscard]] bool contains(std::size_t row) const { return (words_[row / 64] >> (row % 64) & 1U) != 0; }

  /// The number of rows in both sets.
  [[nodiscard]] static std::size_t common(RowSet const& a, RowSet const& b) {
    std::size_t count = 0;
    for (std::size_t w = 0; w < a.words_.size(); ++w)
      count += static_cast<std::size_t>(std::popcount(a.words_[w] & b.words_[w]));
    return count;
  }

 private:
  std::vector<std::uint64_t> words_;
};

}  // namespace fltr::detail
