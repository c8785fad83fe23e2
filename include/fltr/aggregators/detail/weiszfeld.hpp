#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include <fltr/aggregators/detail/double_rows.hpp>
#include <fltr/concepts/robust_rule.hpp>

namespace fltr::detail {

/// Weiszfeld's iteration for the point z with the smallest sum of distances to some rows. All sums are over the rows in
/// their order.
class Weiszfeld {
 public:
  Weiszfeld(MessageRows const& rows, double smoothing)
      : parameters_(rows.parameters()),
        smoothing_(smoothing),
        rows_(rows),
        point_(1, parameters_),
        step_(1, parameters_),
        zero_(1, parameters_),
        distances_(rows.clients()) {}

  /// Starts at these values.
  void start(std::span<float const> values) {
    point_.assign(0, values);
    measure();
  }
  void start_at_zero() {
    clear(point_);
    measure();
  }
  void start_at_mean() {
    clear(point_);
    for (std::size_t i = 0; i < distances_.size(); ++i) add_difference(point_.row(0), 1.0, rows_.row(i), zero_.row(0));
    for (auto& line : point_.row(0))
      for (double& v : line.values) v /= static_cast<double>(distances_.size());
    measure();
  }

  [[nodiscard]] double sum_of_distances() const noexcept { return sum_; }
  /// The sum of the distances to z minus the sum of the distances to 0. Each term of a row x is computed as
  /// z · (z − 2x) / (‖x − z‖ + ‖x‖), so that a row of huge values does not hide the others.
  [[nodiscard]] double excess_over_zero() const {
    double sum = 0.0;
    for (std::size_t i = 0; i < distances_.size(); ++i) {
      double const lengths = distances_[i] + distance(rows_.row(i), zero_.row(0));
      if (lengths > 0.0) sum += product_with_rest(point_.row(0), rows_.row(i)) / lengths;
    }
    return sum;
  }
  /// The lower median. Less than half of the rows, however far they are, cannot raise it above all other distances.
  [[nodiscard]] double median_distance() {
    sorted_ = distances_;
    auto const middle = sorted_.begin() + static_cast<std::ptrdiff_t>((sorted_.size() - 1) / 2);
    std::ranges::nth_element(sorted_, middle);
    return *middle;
  }
  [[nodiscard]] std::vector<float> model() const { return to_floats(point_.row(0), parameters_); }

  /// Makes one step and returns its length. The step is a weighted mean of differences to z, so that rows that are far
  /// from zero lose no digits.
  double advance() {
    double weights = 0.0;
    double here = 0.0;  // the number of rows at z
    clear(step_);
    for (std::size_t i = 0; i < distances_.size(); ++i) {
      double const at_least = std::max(distances_[i], smoothing_);
      if (at_least > 0.0) {
        weights += 1.0 / at_least;
        add_difference(step_.row(0), 1.0 / at_least, rows_.row(i), point_.row(0));
      } else {
        here += 1.0;
      }
    }
    // Vardi and Zhang: the unit vectors toward the other rows pull z away, and each row at z holds it with force 1.
    double const pull = distance(step_.row(0), zero_.row(0));
    if (pull <= here) return 0.0;
    double const factor = (1.0 - here / pull) / weights;
    add_difference(point_.row(0), factor, step_.row(0), zero_.row(0));
    measure();
    return factor * pull;
  }

 private:
  static void clear(DoubleRows& rows) { std::ranges::fill(rows.row(0), CacheLine<double>{}); }
  /// z · (z − 2x).
  [[nodiscard]] static double product_with_rest(ConstLines z, ConstLines x) {
    double sum = 0.0;
    for (std::size_t k = 0; k < z.size(); ++k)
      for (std::size_t lane = 0; lane < 8; ++lane)
        sum += simd::rounded_product(z[k][lane], z[k][lane] - 2.0 * x[k][lane]);
    return sum;
  }
  void measure() {
    sum_ = 0.0;
    for (std::size_t i = 0; i < distances_.size(); ++i) {
      distances_[i] = distance(rows_.row(i), point_.row(0));
      sum_ += distances_[i];
    }
  }

  std::size_t parameters_;
  double smoothing_;
  DoubleRows rows_;
  DoubleRows point_;
  DoubleRows step_;
  DoubleRows zero_;
  std::vector<double> distances_;
  std::vector<double> sorted_;
  double sum_ = 0.0;
};

}  // namespace fltr::detail
