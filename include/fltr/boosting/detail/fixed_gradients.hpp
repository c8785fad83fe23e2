#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <fltr/boosting/detail/gradient_sum.hpp>
#include <fltr/concepts/execution.hpp>
#include <fltr/core/error.hpp>

namespace fltr::detail {

/// The gradient and hessian of each document as integers. The units are chosen so that the largest gradient has 30
/// bits, more than a float, and no sum overflows. The sum of hessians shares a word with the number of documents: if
/// that number has b bits, a hessian has 63 − 2 b bits (27 bits for 200,000 documents, 19 for 4 million).
class FixedGradients {
 public:
  static constexpr std::size_t most_documents = std::size_t{1} << 26U;

  explicit FixedGradients(std::size_t documents)
      : values_(documents), count_bits_(static_cast<int>(std::bit_width(documents))) {
    require(documents < most_documents, "FixedGradients", "fewer than 2^26 documents", documents);
  }

  /// Converts one gradient and one hessian ≥ 0 per document. None is larger in magnitude than the given largest values.
  template <Execution E>
  void assign(E const& execution, std::span<float const> gradients, std::span<float const> hessians,
              float largest_gradient, float largest_hessian) {
    int const gradient_exponent = exponent(largest_gradient, 30);
    int const hessian_exponent = exponent(largest_hessian, std::min(31, 63 - 2 * count_bits_));
    double const gradient_scale = std::ldexp(1.0, gradient_exponent);
    double const hessian_scale = std::ldexp(1.0, hessian_exponent);
    constexpr std::size_t block = 16'384;
    for_each_block(execution, (values_.size() + block - 1) / block, [&](std::size_t b) {
      for (std::size_t i = b * block; i < std::min(values_.size(), (b + 1) * block); ++i)
        values_[i] = {static_cast<std::int32_t>(std::lrint(static_cast<double>(gradients[i]) * gradient_scale)),
                      static_cast<std::uint32_t>(std::lrint(static_cast<double>(hessians[i]) * hessian_scale))};
    });
    gradient_unit_ = std::ldexp(1.0, -gradient_exponent);
    hessian_unit_ = std::ldexp(1.0, -hessian_exponent);
  }

  /// The sum over one document.
  [[nodiscard]] GradientSum operator[](std::size_t document) const noexcept {
    return {values_[document].gradient, (std::int64_t{values_[document].hessian} << count_bits_) + 1};
  }
  [[nodiscard]] std::size_t size() const noexcept { return values_.size(); }

  [[nodiscard]] double gradient(GradientSum const& sum) const noexcept {
    return static_cast<double>(sum.gradient) * gradient_unit_;
  }
  [[nodiscard]] double hessian(GradientSum const& sum) const noexcept {
    return static_cast<double>(hessian_units(sum)) * hessian_unit_;
  }
  /// The sum of hessians in units.
  [[nodiscard]] std::int64_t hessian_units(GradientSum const& sum) const noexcept { return sum.weight >> count_bits_; }
  /// The smallest number of units that is at least `hessian`.
  [[nodiscard]] std::int64_t hessian_units(double hessian) const noexcept {
    double const units = std::ceil(hessian / hessian_unit_);
    return units < 0x1p62 ? static_cast<std::int64_t>(units) : std::int64_t{1} << 62U;
  }
  [[nodiscard]] std::uint32_t count(GradientSum const& sum) const noexcept {
    return static_cast<std::uint32_t>(sum.weight & ((std::int64_t{1} << count_bits_) - 1));
  }

 private:
  struct Value {
    std::int32_t gradient;
    std::uint32_t hessian;
  };

  /// e such that largest · 2^e < 2^bits.
  [[nodiscard]] static int exponent(float largest, int bits) {
    require(std::isfinite(largest) && largest >= 0.0F, "FixedGradients", "a finite largest value", largest);
    int const own = largest > 0.0F ? std::ilogb(largest) + 1 : 0;
    return bits - own;
  }

  std::vector<Value> values_;
  int count_bits_;
  double gradient_unit_ = 1.0;
  double hessian_unit_ = 1.0;
};

}  // namespace fltr::detail
