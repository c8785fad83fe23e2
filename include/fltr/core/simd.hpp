#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <span>

#include <fltr/core/detail/row_groups.hpp>
#include <fltr/core/lane_sum.hpp>
#include <fltr/core/lanes.hpp>

/// The kernels of the hot path. Each forms its sums in 8 lanes, for every register width, so that the order of the
/// additions does not depend on the processor.
namespace fltr::simd {

/// Σ a_i b_i. Requires spans of equal size.
[[nodiscard]] inline float dot(std::span<float const> a, std::span<float const> b) {
  std::size_t const n = a.size();
  auto sum = Lanes::filled(0.0F);
  std::size_t i = 0;
  for (; i + lanes <= n; i += lanes) sum.add_product(Lanes::load(&a[i]), Lanes::load(&b[i]));
  if (i < n) sum.add_product(Lanes::load_first(&a[i], n - i), Lanes::load_first(&b[i], n - i));
  return sum.sum();
}

/// y += factor · x. Requires spans of equal size.
inline void axpy(float factor, std::span<float const> x, std::span<float> y) {
  std::size_t const n = y.size();
  auto const f = Lanes::filled(factor);
  std::size_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    auto sum = Lanes::load(&y[i]);
    sum.add_product(f, Lanes::load(&x[i]));
    sum.store(&y[i]);
  }
  if (i < n) {
    alignas(32) std::array<float, lanes> tail;
    auto sum = Lanes::load_first(&y[i], n - i);
    sum.add_product(f, Lanes::load_first(&x[i], n - i));
    sum.store(tail.data());
    std::copy_n(tail.begin(), n - i, y.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

/// y += Σ_r factors_r · rows_r, in the order of the rows. The rows are padded with zeros to a multiple of `lanes`. The
/// result is bit-equal to one axpy per row. Four rows are added per pass, so that y is loaded and stored a quarter as
/// often, and the hardware prefetcher still follows each row.
inline void add_rows(std::span<float const> factors, std::span<float const* const> rows, std::span<float> y) {
  std::size_t r = 0;
  for (; r + 4 <= rows.size(); r += 4) detail::add_row_group<4>(&factors[r], &rows[r], y);
  if (r + 2 <= rows.size()) {
    detail::add_row_group<2>(&factors[r], &rows[r], y);
    r += 2;
  }
  if (r < rows.size()) detail::add_row_group<1>(&factors[r], &rows[r], y);
}

/// out_r = Σ_i w_i · rows[r · stride + i]. The rows are padded with zeros to the stride, a multiple of `lanes`, like
/// the rows of a Dataset. Each result is bit-equal to `dot` of that row.
///
/// Four rows per pass hide the latency of the additions. The hardware prefetcher does not recognise this order of
/// access, so the rows of a later group are prefetched explicitly (measured for 40 rows of 46 features: 1.4 times the
/// cost of reading the rows, 2.0 times without prefetching).
inline void dot_rows(std::span<float const> w, float const* rows, std::size_t stride, std::span<float> out) {
  constexpr std::size_t group = 4;
  constexpr std::size_t line = 64 / sizeof(float);
  std::size_t const ahead = (stride * group < 512 ? 2 : 1) * group * stride;
  float const* const end = rows + out.size() * stride;
  std::size_t const whole = w.size() / lanes * lanes;
  auto const last = Lanes::load_first(w.data() + whole, w.size() - whole);
  std::size_t r = 0;
  for (; r + group <= out.size(); r += group, rows += group * stride) {
    for (float const* next = rows + ahead; next < std::min(rows + ahead + group * stride, end); next += line)
      __builtin_prefetch(next);
    detail::dot_row_group<group>(w, last, rows, stride, &out[r]);
  }
  for (; r < out.size(); ++r, rows += stride) detail::dot_row_group<1>(w, last, rows, stride, &out[r]);
}

/// The largest value; −∞ for an empty span. NaN is ignored.
[[nodiscard]] inline float maximum(std::span<float const> x) {
  float top = -std::numeric_limits<float>::infinity();
  for (float v : x) top = v > top ? v : top;
  return top;
}

}  // namespace fltr::simd
