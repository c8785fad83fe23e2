#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include <fltr/core/float_at_most.hpp>
#include <fltr/rankers/tree.hpp>

namespace fltr::detail {

/// Documents as bytes. A forest only compares a value with the thresholds of its feature. The code of a value is the
/// number of thresholds below it, and `value > threshold` is `code > rank of the threshold`. A byte has codes for 255
/// thresholds. A feature with more thresholds has several columns, one for each 255.
class FeatureCodes {
 public:
  /// A comparison: whether the byte of a document in `column` is greater than `rank`.
  struct Question {
    std::size_t column = 0;
    std::int8_t rank = 0;
  };

  FeatureCodes() = default;
  explicit FeatureCodes(std::span<Tree const* const> trees) {
    std::vector<std::pair<std::uint32_t, float>> splits;
    for (Tree const* tree : trees)
      for (std::size_t n = 0; n < tree->inner_count(); ++n)
        splits.emplace_back(tree->feature[n], float_at_most(tree->threshold[n]));
    std::sort(splits.begin(), splits.end());
    splits.erase(std::unique(splits.begin(), splits.end()), splits.end());
    for (auto at = splits.begin(); at != splits.end();) {
      auto const end = std::find_if(at, splits.end(), [at](auto const& s) { return s.first != at->first; });
      add_table(at, end);
      at = end;
    }
  }

  [[nodiscard]] std::size_t column_count() const noexcept { return columns_; }

  /// The comparison that is equal to `value > threshold`, for a threshold of one of the trees.
  [[nodiscard]] Question question(std::size_t feature, double threshold) const {
    Table const& table = *std::lower_bound(tables_.begin(), tables_.end(), feature,
                                           [](Table const& a, std::size_t f) { return a.feature < f; });
    auto const begin = thresholds_.begin() + static_cast<std::ptrdiff_t>(table.first);
    auto const at = std::lower_bound(begin, begin + static_cast<std::ptrdiff_t>(table.size), float_at_most(threshold));
    auto const rank = static_cast<std::size_t>(at - begin);
    return {table.column + rank / per_column, static_cast<std::int8_t>(static_cast<int>(rank % per_column) - 128)};
  }

  /// Writes the bytes of documents: the byte of document i in column c to codes[c · width + i]. The bytes of a document
  /// with a NaN are unspecified.
  void encode(float const* rows, std::size_t stride, std::size_t documents, std::size_t width,
              std::int8_t* codes) const {
    for (Table const& table : tables_)
      for (std::size_t first = 0; first < documents; first += together) {
        std::size_t const n = std::min(together, documents - first);
        Values values{};
        for (std::size_t i = 0; i < n; ++i) values[i] = rows[(first + i) * stride + table.feature];
        Ranks const below = thresholds_below(table, values);
        std::int8_t* column = codes + table.column * width + first;
        for (std::uint32_t from = 0; from < table.size; from += per_column, column += width)
          for (std::size_t i = 0; i < n; ++i)
            column[i] = static_cast<std::int8_t>(std::min(std::max(below[i], from) - from, per_column) - 128U);
      }
  }

 private:
  static constexpr std::uint32_t per_column = 255;
  static constexpr std::size_t together = 16;
  using Values = std::array<float, together>;
  using Ranks = std::array<std::uint32_t, together>;

  struct Table {
    std::size_t feature;
    std::size_t column;  // the first of its columns
    std::size_t first;   // of its distinct thresholds, ascending, followed by infinities up to 2 · half − 1 values
    std::size_t size;
    std::uint32_t half;
  };

  // 16 binary searches at the same time. The product replaces a branch that would be mispredicted half of the time.
  [[nodiscard]] Ranks thresholds_below(Table const& table, Values const& values) const {
    float const* const thresholds = thresholds_.data() + table.first;
    Ranks below{};
    for (std::uint32_t step = table.half; step > 0; step /= 2)
      for (std::size_t i = 0; i < together; ++i)
        below[i] += static_cast<std::uint32_t>(thresholds[below[i] + step - 1] < values[i]) * step;
    return below;
  }

  void add_table(auto begin, auto end) {
    auto const size = static_cast<std::size_t>(end - begin);
    auto const half = static_cast<std::uint32_t>(std::bit_floor(size));
    tables_.push_back({begin->first, columns_, thresholds_.size(), size, half});
    columns_ += (size + per_column - 1) / per_column;
    for (auto at = begin; at != end; ++at) thresholds_.push_back(at->second);
    thresholds_.resize(tables_.back().first + std::size_t{2} * half - 1, std::numeric_limits<float>::infinity());
  }

  std::vector<Table> tables_;  // by ascending feature
  std::vector<float> thresholds_;
  std::size_t columns_ = 0;
};

}  // namespace fltr::detail
