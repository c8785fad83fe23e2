#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <span>

#include <fltr/core/exponential.hpp>
#include <fltr/core/logarithm.hpp>
#include <fltr/core/random.hpp>

namespace fltr::detail {

/// Those draws of a sequence of Gamma(a) numbers, a < 1, that are not tiny, in order.
///
/// Gamma(a) is U^(1/a) · Gamma(1 + a) with a uniform U. For a small shape nearly all powers U^(1/a) are tiny. Powers
/// below 10⁻³⁰ count as 0, so these draws are never made: the distance to the next larger power has a geometric
/// distribution. With L = a ln 10⁻³⁰, a power is larger with probability 1 − e^L, and then U is uniform on (e^L, 1).
/// Except for what counts as 0, which is below 10⁻³⁰ · Gamma(1 + a), the distribution is exact up to the rounding of
/// double.
///
/// Eight draws are prepared at a time, so that their logarithms are computed in vector registers.
class GammaJumps {
 public:
  GammaJumps(Stream& stream, double shape)
      : stream_(&stream),
        shape_(shape),
        c_(1.0 / std::sqrt(9.0 * (shape + 2.0 / 3.0))),
        log_missed_(shape * log_smallest),
        kept_(-math::expm1(log_missed_)) {}

  /// The distance from one draw to the next one that is not tiny, at least 1.
  [[nodiscard]] double distance() {
    if (next_ == size) {
      stream_->uniforms(uniforms_);
      simd::log_in_place(std::span(uniforms_).first(size));
      next_ = 0;
      prepared_ = false;
    }
    return 1.0 + std::floor(uniforms_[next_++] / log_missed_);
  }

  /// The value of the draw to which the last `distance` led. Call it at most once.
  [[nodiscard]] double draw() {
    if (!prepared_) prepare();
    // The first attempt of Stream::gamma(1 + a), with a prepared normal number.
    std::size_t const i = next_ - 1;
    double const d = shape_ + 2.0 / 3.0;
    double const x = normals_[i];
    double const base = 1.0 + c_ * x;
    double const v = base * base * base;
    double const square = x * x;
    if (v > 0.0) {
      double const u = stream_->uniform();
      if (u < 1.0 - 0.0331 * square * square || math::log(u) < 0.5 * square + d * (1.0 - v + math::log(v)))
        return powers_[i] * (d * v);
    }
    return powers_[i] * stream_->gamma(1.0 + shape_);
  }

 private:
  static constexpr std::size_t size = 8;
  static constexpr double log_smallest = -0x1.144f69ff9ffc4p+6;  // ln 10⁻³⁰

  void prepare() {
    // U = 1 − kept · u. log U as math::log1p computes it.
    std::array<double, size> parts;
    for (std::size_t i = 0; i < size; ++i) {
      parts[i] = uniforms_[size + i] * kept_;
      powers_[i] = 1.0 - parts[i];
    }
    auto const rounded = powers_;
    simd::log_in_place(powers_);
    for (std::size_t i = 0; i < size; ++i) {
      double const log = rounded[i] < 1.0 ? powers_[i] * (parts[i] / (1.0 - rounded[i])) : -parts[i];
      powers_[i] = log / shape_;
    }
    simd::exp_in_place(powers_);
    stream_->normals(normals_);
    prepared_ = true;
  }

  Stream* stream_;
  double shape_;
  double c_;           // of Stream::gamma
  double log_missed_;  // L
  double kept_;        // 1 − e^L
  std::size_t next_ = size;
  bool prepared_ = false;
  std::array<double, 2 * size> uniforms_{};  // the logarithms of the first half
  std::array<double, size> powers_{};
  std::array<double, size> normals_{};
};

/// Draws `count` differences γ − γ' with γ, γ' ~ Gamma(shape, 1) and calls `use(i, difference)` for each difference
/// that is not 0, in the order of i. For a shape below 1, draws that GammaJumps leaves out count as 0.
template <class Use>
void gamma_differences(Stream& stream, double shape, std::size_t count, Use const& use) {
  if (shape >= 1.0) {
    for (std::size_t i = 0; i < count; ++i) {
      double const plus = stream.gamma(shape);
      use(i, plus - stream.gamma(shape));
    }
    return;
  }
  GammaJumps jumps(stream, shape);
  double at = -1.0;  // the number of the draw: γ and γ' of every difference in turn
  std::size_t last = count;
  double sum = 0.0;
  for (;;) {
    at += jumps.distance();
    if (!(at < static_cast<double>(2 * count))) break;
    auto const number = static_cast<std::size_t>(at);
    double const drawn = jumps.draw();
    if (number / 2 != last) {
      if (last < count) use(last, sum);
      last = number / 2;
      sum = 0.0;
    }
    sum += number % 2 == 0 ? drawn : -drawn;
  }
  if (last < count) use(last, sum);
}

}  // namespace fltr::detail
