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
  if (i < n) sum.add_product(Lanes::load_rest(a.data(), n), Lanes::load_rest(b.data(), n));
  return sum.sum();
}

/// y += factor · x. Requires spans of equal size.
inline void axpy(float factor, std::span<float const> x, std::span<float> y) {
  std::size_t const n = y.size();
  if (n < lanes) {
    for (std::size_t i = 0; i < n; ++i) y[i] += simd::rounded_product(factor, x[i]);
    return;
  }
  auto const f = Lanes::filled(factor);
  auto const at = [&](std::size_t i) {
    auto sum = Lanes::load(&y[i]);
    sum.add_product(f, Lanes::load(&x[i]));
    return sum;
  };
  // The elements after the last whole group of lanes are computed in a window that ends with the span. The window
  // overlaps the last group, so it is loaded before that group is overwritten.
  auto const window = at(n - lanes);
  for (std::size_t i = 0; i + lanes <= n; i += lanes) at(i).store(&y[i]);
  window.store(&y[n - lanes]);
}

/// y += Σ_r factors_r · rows_r, in the order of the rows. The result is bit-equal to one axpy per row. All rows are
/// added to four groups of lanes before the next ones, so that y is loaded and stored once.
inline void add_rows(std::span<float const> factors, std::span<float const* const> rows, std::span<float> y) {
  std::size_t const n = y.size();
  if (n < lanes) {
    for (std::size_t r = 0; r < rows.size(); ++r) axpy(factors[r], {rows[r], n}, y);
    return;
  }
  auto const window = detail::add_columns<1>(factors, rows.data(), y.data(), n - lanes);  // see axpy
  std::size_t i = 0;
  for (; i + 4 * lanes <= n; i += 4 * lanes)
    detail::store_columns(detail::add_columns<4>(factors, rows.data(), y.data(), i), &y[i]);
  for (; i + lanes <= n; i += lanes)
    detail::store_columns(detail::add_columns<1>(factors, rows.data(), y.data(), i), &y[i]);
  detail::store_columns(window, &y[n - lanes]);
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
  auto const last = Lanes::load_rest(w.data(), w.size());
  std::size_t r = 0;
  for (; r + group <= out.size(); r += group, rows += group * stride) {
    float const* const stop = std::min(rows + ahead + group * stride, end);
    for (float const* next = rows + ahead; next < stop; next += line) __builtin_prefetch(next);
    detail::dot_row_group<group>(w, last, {rows, rows + stride, rows + 2 * stride, rows + 3 * stride}, &out[r]);
  }
  for (; r < out.size(); ++r, rows += stride) detail::dot_row_group<1>(w, last, {rows}, &out[r]);
}

/// out_r = Σ_i w_i · rows_r[i], for rows that are in the cache. Each row is padded with zeros to a multiple of `lanes`.
/// Requires as many rows as results.
inline void dot_rows(std::span<float const> w, std::span<float const* const> rows, std::span<float> out) {
  auto const last = Lanes::load_rest(w.data(), w.size());
  std::size_t r = 0;
  for (; r + 4 <= out.size(); r += 4)
    detail::dot_row_group<4>(w, last, {rows[r], rows[r + 1], rows[r + 2], rows[r + 3]}, &out[r]);
  for (; r < out.size(); ++r) detail::dot_row_group<1>(w, last, {rows[r]}, &out[r]);
}

/// The largest value; −∞ for an empty span. NaN is ignored.
[[nodiscard]] inline float maximum(std::span<float const> x) {
  std::size_t const n = x.size();
  float top = -std::numeric_limits<float>::infinity();
  std::size_t i = 0;
  if (n >= lanes) {
    auto tops = Lanes::filled(top);
    for (; i + lanes <= n; i += lanes) tops.keep_larger(Lanes::load(&x[i]));
    tops.keep_larger(Lanes::load(&x[n - lanes]));  // overlaps the last group
    return tops.largest();
  }
  for (; i < n; ++i) top = x[i] > top ? x[i] : top;
  return top;
}

}  // namespace fltr::simd
