#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

namespace fltr::examples {

/// The axis of a chart. The distance between ticks is 1, 2 or 5 times a power of ten.
class Axis {
 public:
  /// An axis that contains all finite values. If they are all equal, it has a margin. With `whole`, ticks are whole
  /// numbers.
  Axis(std::vector<double> const& values, std::size_t most_ticks, bool whole);

  [[nodiscard]] double low() const noexcept { return low_; }
  [[nodiscard]] double high() const noexcept { return high_; }
  [[nodiscard]] std::vector<double> const& ticks() const noexcept { return ticks_; }
  /// The number at a tick. All ticks have the same number of decimals.
  [[nodiscard]] std::string label(double tick) const;
  /// The position of a value: 0 at the low end, 1 at the high end.
  [[nodiscard]] double part(double value) const noexcept { return (value - low_) / (high_ - low_); }

  /// Extends the axis to a tick at both ends.
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
