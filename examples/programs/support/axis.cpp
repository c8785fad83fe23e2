#include "axis.hpp"

#include <limits>

#include <fmt/core.h>

#include "text.hpp"

namespace fltr::examples {

namespace {

/// The smallest of 1, 2, 5, 10, 20, … (times a power of ten) that is at least `least`.
double round_step(double least) {
  double const power = std::pow(10.0, std::floor(std::log10(least)));
  for (double const factor : {1.0, 2.0, 5.0})
    if (factor * power >= least * (1 - 1e-9)) return factor * power;
  return 10 * power;
}

}  // namespace

Axis::Axis(std::vector<double> const& values, std::size_t most_ticks, bool whole) {
  double low = std::numeric_limits<double>::infinity();
  double high = -low;
  for (double const value : values)
    if (std::isfinite(value) && std::abs(value) < 1e300) {
      low = std::min(low, value);
      high = std::max(high, value);
    }
  if (low > high) {
    low = 0;
    high = 1;
  }
  // Differences that the labels cannot show count as equal values.
  double const room = std::max(std::abs(low), std::abs(high)) * 1e-6;
  if (!(high - low > room)) {
    double const margin = whole ? 1 : std::max(std::abs(low) * 0.1, 1e-3);
    high = low + margin;
    if (!whole) low -= margin;
  }
  low_ = low;
  high_ = high;
  step_ = round_step((high - low) / static_cast<double>(std::max<std::size_t>(most_ticks, 2) - 1));
  if (whole) step_ = std::max(step_, 1.0);
  decimals_ = std::max(0, static_cast<int>(-std::floor(std::log10(step_) + 1e-9)));
  place_ticks();
}

void Axis::place_ticks() {
  ticks_.clear();
  double const first = std::ceil(low_ / step_ - 1e-6);
  double const last = std::floor(high_ / step_ + 1e-6);
  for (double i = first; i <= last && ticks_.size() < 100; ++i) ticks_.push_back(i * step_);
}

void Axis::widen_to_ticks() {
  low_ = std::floor(low_ / step_ + 1e-6) * step_;
  high_ = std::ceil(high_ / step_ - 1e-6) * step_;
  place_ticks();
}

std::string Axis::label(double tick) const {
  if (tick == 0) tick = 0;  // not -0
  if (decimals_ > 6 || std::abs(tick) >= 1e7) return fmt::format("{:g}", tick);
  if (decimals_ == 0 && tick >= 10'000) return grouped(static_cast<std::uint64_t>(std::llround(tick)));
  return fmt::format("{:.{}f}", tick, decimals_);
}

}  // namespace fltr::examples
