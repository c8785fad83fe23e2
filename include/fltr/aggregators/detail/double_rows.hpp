#pragma once

#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include <fltr/aggregators/detail/cache_lines.hpp>
#include <fltr/concepts/robust_rule.hpp>
#include <fltr/core/eight_doubles.hpp>
#include <fltr/core/native_vector.hpp>

namespace fltr::detail {

/// A vector of doubles in lines of eight, followed by zeros.
using Lines = std::span<CacheLine<double>>;
using ConstLines = std::span<CacheLine<double> const>;

/// Vectors of the same size.
class DoubleRows {
 public:
  DoubleRows(std::size_t count, std::size_t size) : width_((size + 7) / 8), lines_(count * width_) {}
  explicit DoubleRows(MessageRows const& rows) : DoubleRows(rows.clients(), rows.parameters()) {
    for (std::size_t i = 0; i < rows.clients(); ++i) assign<float>(i, rows.row(i));
  }

  [[nodiscard]] Lines row(std::size_t i) noexcept { return Lines(lines_).subspan(i * width_, width_); }
  [[nodiscard]] ConstLines row(std::size_t i) const noexcept { return ConstLines(lines_).subspan(i * width_, width_); }
  template <class T>
  void assign(std::size_t i, std::span<T const> values) {
    auto const to = row(i);
    for (std::size_t k = 0; k < values.size(); ++k) to[k / 8][k % 8] = static_cast<double>(values[k]);
  }

 private:
  std::size_t width_;
  std::vector<CacheLine<double>> lines_;
};

[[nodiscard]] inline std::vector<float> to_floats(ConstLines lines, std::size_t size) {
  std::vector<float> out(size);
  for (std::size_t k = 0; k < size; ++k) out[k] = static_cast<float>(lines[k / 8][k % 8]);
  return out;
}

/// ‖x − y‖, added up in eight lanes.
[[nodiscard]] inline double distance(ConstLines x, ConstLines y) {
  auto sum = simd::EightDoubles::filled(0.0);
  for (std::size_t k = 0; k < x.size(); ++k)
    sum += simd::EightDoubles::each(
        [](auto a, auto b) {
          auto const difference = a - b;
          return simd::rounded_product(difference, difference);
        },
        simd::EightDoubles::load(x[k].data()), simd::EightDoubles::load(y[k].data()));
  return std::sqrt(sum.sum());
}

/// to += factor · (x − y). Each operation is rounded.
inline void add_difference(Lines to, double factor, ConstLines x, ConstLines y) {
  for (std::size_t k = 0; k < to.size(); ++k)
    simd::EightDoubles::each([=](auto t, auto a, auto b) { return t + simd::rounded_product(a - b, factor); },
                             simd::EightDoubles::load(to[k].data()), simd::EightDoubles::load(x[k].data()),
                             simd::EightDoubles::load(y[k].data()))
        .store(to[k].data());
}

}  // namespace fltr::detail
