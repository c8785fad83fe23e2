#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

namespace fltr::examples {

/// A chart's axis with ticks at round numbers: 1, 2 or 5 times a power of ten apart.
class Axis {
 public:
  /// An axis that holds all finite values; where they are all the same, it leaves room on both sides. With `whole`,
  /// ticks are whole numbers.
  Axis(std::vector<double> const& values, std::size_t most_ticks, bool whole);

  [[nodiscard]] double low() const noexcept { return low_; }
  [[nodiscard]] double high() const noexcept { return high_; }
  [[nodiscard]] std::vector<double> const& ticks() const noexcept { return ticks_; }
  /// The tick's number, all with as many decimals.
  [[nodiscard]] std::string label(double tick) const;
  /// 0 at the low end, 1 at the high end.
  [[nodiscard]] double part(double value) const noexcept { return (value - low_) / (high_ - low_); }

  /// Lets the axis end at its outermost ticks.
  void widen_to_ticks();

 private:
  void place_ticks();

  double low_ = 0;
  double high_ = 1;
  double step_ = 1;
  int decimals_ = 0;
  std::vector<double> ticks_;
};

}  // namespace fltr::examples
