#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fltr/boosting/binning.hpp>
#include <fltr/boosting/detail/bin_bounds.hpp>
#include <fltr/concepts/execution.hpp>
#include <fltr/core/error.hpp>
#include <fltr/data/query_view.hpp>

namespace fltr::detail {

/// The features of all documents as bin numbers, one byte each. Constant features have no column. Columns are stored in
/// panels of 8: the bins of one document in the 8 columns of a panel are one 64-bit word.
class BinnedFeatures {
 public:
  static constexpr std::size_t width = 8;  ///< columns of a panel

  template <Execution E>
  BinnedFeatures(E const& execution, std::span<QueryView const> queries, Binning const& options = {}) {
    options.check();
    for (QueryView const& query : queries) {
      if (query.feature_count() != queries[0].feature_count())
        throw_requirement("BinnedFeatures", std::to_string(queries[0].feature_count()) + " features in every query",
                          query.feature_count());
      documents_ += query.document_count();
    }
    require(documents_ < std::numeric_limits<std::uint32_t>::max(), "BinnedFeatures", "fewer than 2^32 - 1 documents",
            documents_);
    choose_bounds(execution, queries, options);
    bins_.resize(panel_count() * documents_ * width);
    for_each_block(execution, panel_count(), [&](std::size_t panel) { fill(queries, panel); });
  }

  [[nodiscard]] std::size_t document_count() const noexcept { return documents_; }
  [[nodiscard]] std::size_t column_count() const noexcept { return features_.size(); }
  [[nodiscard]] std::size_t panel_count() const noexcept { return (column_count() + width - 1) / width; }
  /// The bins of document d are the 8 bytes from 8 · d on. Bytes beyond the last column are 0.
  [[nodiscard]] std::uint8_t const* panel(std::size_t p) const noexcept {
    return bins_.data() + p * documents_ * width;
  }

  /// The feature number of a column.
  [[nodiscard]] std::uint32_t feature(std::size_t column) const noexcept { return features_[column]; }
  [[nodiscard]] std::size_t bin_count(std::size_t column) const noexcept { return bounds_[column].size() + 1; }
  /// The upper bound of a bin. Requires a bin that is not the last one.
  [[nodiscard]] double bound(std::size_t column, std::size_t bin) const noexcept { return bounds_[column][bin]; }
  [[nodiscard]] std::uint8_t bin(std::size_t document, std::size_t column) const noexcept {
    return panel(column / width)[document * width + column % width];
  }

 private:
  template <Execution E>
  void choose_bounds(E const& execution, std::span<QueryView const> queries, Binning const& options) {
    if (documents_ == 0) return;
    std::size_t const size = std::min(documents_, options.sample);
    std::vector<float const*> rows;
    std::size_t first = 0;
    for (QueryView const& query : queries) {
      // Sampled document i is document i · n / size.
      for (; rows.size() < size;) {
        std::size_t const document = rows.size() * documents_ / size - first;
        if (document >= query.document_count()) break;
        rows.push_back(query.row(document).data());
      }
      first += query.document_count();
    }
    std::vector<std::vector<double>> bounds(queries[0].feature_count());
    for_each_block(execution, (bounds.size() + width - 1) / width, [&](std::size_t block) {
      std::size_t const first_feature = block * width;
      std::size_t const count = std::min(width, bounds.size() - first_feature);
      std::vector<std::vector<float>> values(count, std::vector<float>(rows.size()));
      for (std::size_t i = 0; i < rows.size(); ++i)
        for (std::size_t f = 0; f < count; ++f) {
          float const value = rows[i][first_feature + f];
          require(std::isfinite(value), "BinnedFeatures", "finite features", value);
          values[f][i] = value;
        }
      for (std::size_t f = 0; f < count; ++f) {
        std::ranges::sort(values[f]);
        bounds[first_feature + f] = bin_bounds(values[f], options);
      }
    });
    for (std::size_t f = 0; f < bounds.size(); ++f) {
      if (bounds[f].empty()) continue;
      features_.push_back(static_cast<std::uint32_t>(f));
      bounds_.push_back(std::move(bounds[f]));
    }
  }

  void fill(std::span<QueryView const> queries, std::size_t panel) {
    std::size_t const first = panel * width;
    std::size_t const columns = std::min(width, column_count() - first);
    std::vector<BinSearch> search;
    search.reserve(columns);
    for (std::size_t c = 0; c < columns; ++c) search.emplace_back(bounds_[first + c]);
    std::uint8_t* out = bins_.data() + panel * documents_ * width;
    bool finite = true;
    for (QueryView const& query : queries)
      for (std::size_t d = 0; d < query.document_count(); ++d, out += width) {
        auto const row = query.row(d);
        for (std::size_t c = 0; c < columns; ++c) {
          float const value = row[features_[first + c]];
          finite = finite && std::isfinite(value);
          out[c] = search[c](value);
        }
      }
    require(finite, "BinnedFeatures", "finite features", "an infinite or NaN value");
  }

  std::size_t documents_ = 0;
  std::vector<std::uint32_t> features_;      // by column
  std::vector<std::vector<double>> bounds_;  // by column
  std::vector<std::uint8_t> bins_;
};

}  // namespace fltr::detail
