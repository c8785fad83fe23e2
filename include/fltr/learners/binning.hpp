#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

#include <fltr/concepts/execution.hpp>
#include <fltr/core/error.hpp>
#include <fltr/core/float_at_most.hpp>
#include <fltr/data/query_view.hpp>

namespace fltr {

/// How features are cut into bins, of which there are few enough for a byte.
struct Binning {
  std::size_t bins = 255;        ///< of each feature, at most; 2 to 256
  std::size_t min_data = 3;      ///< documents in a bin, at least, of those that bounds are chosen by
  std::size_t sample = 200'000;  ///< documents, evenly spaced, that bounds are chosen by

  void check() const {
    require(bins >= 2 && bins <= 256, "Binning", "2 to 256 bins", bins);
    require(min_data > 0, "Binning", "at least one document in a bin", min_data);
    require(sample > 0, "Binning", "a sample of at least one document", sample);
  }
};

/// A bound between neighbouring values, low < high, near the golden section. It is the largest double that is rounded
/// to the lower one of two floats next to each other: any number, of these documents or of others, is then on the same
/// side as a float and as the double that it was rounded from, in which LightGBM reads it.
[[nodiscard]] inline double bound_between(float low, float high) noexcept {
  auto const below = static_cast<float>(
      std::lerp(static_cast<double>(low), static_cast<double>(high), 0.3819660112501051));  // low if they are next
  double const halfway = std::midpoint(static_cast<double>(below), static_cast<double>(std::nextafter(below, high)));
  return static_cast<float>(halfway) == below ? halfway : std::nextafter(halfway, static_cast<double>(below));
}

/// The bounds between the bins of a feature, rising: bin b holds the values ≤ bounds[b] that no bin before it holds,
/// and the last bin, which has no bound, the rest. A constant feature has none.
///
/// Few distinct values get a bin each. Of many, a value that fills a bin alone has it for itself; the others share the
/// remaining bins in equal numbers, as far as equal values allow. A bound lies between two neighbours.
[[nodiscard]] inline std::vector<double> bin_bounds(std::span<float const> sorted, Binning const& options) {
  struct Run {
    float value;
    std::size_t count;
  };
  std::vector<Run> runs;
  for (float value : sorted) {
    if (runs.empty() || value != runs.back().value) runs.push_back({value, 0});
    ++runs.back().count;
  }
  std::size_t const most = std::min(options.bins, std::max<std::size_t>(1, sorted.size() / options.min_data));
  bool const enough = runs.size() <= most;

  auto shared = static_cast<double>(sorted.size());  // documents that share bins, and the bins left for them
  auto left = static_cast<double>(most);
  double const fills = shared / left;
  auto const alone = [&](Run const& run) { return !enough && static_cast<double>(run.count) >= fills; };
  for (Run const& run : runs)
    if (alone(run)) {
      shared -= static_cast<double>(run.count);
      left -= 1;
    }
  std::vector<double> bounds;
  std::size_t filled = 0;
  double target = enough ? static_cast<double>(options.min_data) : shared / std::max(left, 1.0);
  for (std::size_t i = 0; i + 1 < runs.size() && bounds.size() + 1 < most; ++i) {
    filled += runs[i].count;
    bool const own = alone(runs[i]);
    if (!own) shared -= static_cast<double>(runs[i].count);
    bool const full = static_cast<double>(filled) >= target;
    bool const before_own = alone(runs[i + 1]) && static_cast<double>(filled) >= target / 2;
    if (!own && !full && !before_own) continue;
    bounds.push_back(bound_between(runs[i].value, runs[i + 1].value));
    filled = 0;
    if (!own && !enough) target = shared / std::max(--left, 1.0);
  }
  return bounds;
}

/// Finds bins by value. The bounds are rounded down to floats, which does not change where a float belongs.
class BinSearch {
 public:
  explicit BinSearch(std::span<double const> bounds) {
    bounds_.fill(std::numeric_limits<float>::infinity());
    for (std::size_t b = 0; b < bounds.size(); ++b) bounds_[b] = float_at_most(bounds[b]);
  }

  [[nodiscard]] std::uint8_t operator()(float value) const noexcept {
    std::size_t bin = 0;
    for (std::size_t step = 128; step > 0; step /= 2)  // a product, since a branch would be guessed wrongly
      bin += static_cast<std::size_t>(value > bounds_[bin + step - 1]) * step;
    return static_cast<std::uint8_t>(bin);
  }

 private:
  std::array<float, 255> bounds_;
};

/// The features of all documents as bins, one byte each. Features that are constant have no column. Columns are kept in
/// panels of 8, document by document: one word holds what a pass over the documents needs of each.
class BinnedFeatures {
 public:
  static constexpr std::size_t width = 8;  ///< columns of a panel

  template <Execution E>
  BinnedFeatures(E const& execution, std::span<QueryView const> queries, Binning const& options = {}) {
    options.check();
    for (QueryView const& query : queries) {
      require(query.feature_count() == queries[0].feature_count(), "BinnedFeatures", "queries of as many features each",
              query.feature_count());
      documents_ += query.document_count();
    }
    require(documents_ < std::numeric_limits<std::uint32_t>::max(), "BinnedFeatures", "less than 2^32 documents",
            documents_);
    choose_bounds(execution, queries, options);
    bins_.resize(panel_count() * documents_ * width);
    for_each_block(execution, panel_count(), [&](std::size_t panel) { fill(queries, panel); });
  }

  [[nodiscard]] std::size_t document_count() const noexcept { return documents_; }
  [[nodiscard]] std::size_t column_count() const noexcept { return features_.size(); }
  [[nodiscard]] std::size_t panel_count() const noexcept { return (column_count() + width - 1) / width; }
  /// The bins of document d in the columns of the panel are the 8 bytes from 8 · d on; behind the last column, zeros.
  [[nodiscard]] std::uint8_t const* panel(std::size_t p) const noexcept {
    return bins_.data() + p * documents_ * width;
  }

  /// The feature that a column shows.
  [[nodiscard]] std::uint32_t feature(std::size_t column) const noexcept { return features_[column]; }
  [[nodiscard]] std::size_t bin_count(std::size_t column) const noexcept { return bounds_[column].size() + 1; }
  /// The largest value that belongs to this bin or to one before it. Requires a bin that is not the last.
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
      // The i-th of the sample is document i · n / size.
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
    require(finite, "BinnedFeatures", "finite features", "others");
  }

  std::size_t documents_ = 0;
  std::vector<std::uint32_t> features_;      // by column
  std::vector<std::vector<double>> bounds_;  // by column
  std::vector<std::uint8_t> bins_;
};

}  // namespace fltr
