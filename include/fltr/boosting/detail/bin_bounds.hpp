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

#include <fltr/boosting/binning.hpp>
#include <fltr/core/float_at_most.hpp>

namespace fltr::detail {

/// A bound between two values, low < high, near the golden section of the interval. The bound is the largest double
/// that rounds to the lower one of two adjacent floats. So every double is on the same side of the bound as the float
/// that it rounds to: LightGBM, which reads doubles, and fltr put a document on the same side of a split.
[[nodiscard]] inline double bound_between(float low, float high) noexcept {
  auto const below = static_cast<float>(
      std::lerp(static_cast<double>(low), static_cast<double>(high), 0.3819660112501051));  // `low` for adjacent floats
  double const halfway = std::midpoint(static_cast<double>(below), static_cast<double>(std::nextafter(below, high)));
  return static_cast<float>(halfway) == below ? halfway : std::nextafter(halfway, static_cast<double>(below));
}

/// The ascending bounds between the bins of a feature: bin b has the values in (bounds[b − 1], bounds[b]]. The last bin
/// has no upper bound. A constant feature has no bounds.
///
/// If there are no more distinct values than bins, each value gets its own bin. Otherwise a value that is frequent
/// enough to fill a bin gets its own bin, and the other values share the remaining bins in equal numbers of documents,
/// as far as equal values allow. A bound is between two neighbouring values.
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

  auto shared = static_cast<double>(sorted.size());  // documents in shared bins
  auto left = static_cast<double>(most);             // bins that are left for them
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

/// Finds the bin of a value. The bounds are rounded down to floats, which does not change the bin of any float.
class BinSearch {
 public:
  explicit BinSearch(std::span<double const> bounds) {
    bounds_.fill(std::numeric_limits<float>::infinity());
    for (std::size_t b = 0; b < bounds.size(); ++b) bounds_[b] = float_at_most(bounds[b]);
  }

  [[nodiscard]] std::uint8_t operator()(float value) const noexcept {
    std::size_t bin = 0;
    for (std::size_t step = 128; step > 0; step /= 2)  // no branch: it would be mispredicted often
      bin += static_cast<std::size_t>(value > bounds_[bin + step - 1]) * step;
    return static_cast<std::uint8_t>(bin);
  }

 private:
  std::array<float, 255> bounds_;
};

}  // namespace fltr::detail
