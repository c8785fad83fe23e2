#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>

#if !defined(FLTR_NO_XSIMD) && __has_include(<xsimd/xsimd.hpp>)
#include <xsimd/xsimd.hpp>
#define FLTR_HAS_XSIMD 1
#else
#define FLTR_HAS_XSIMD 0
#endif

/// The few kernels of the hot path. Each adds up in a fixed number of lanes, whatever the width of the registers, so
/// that the order of a sum does not depend on how a loop was cut.
namespace fltr::simd {

inline constexpr std::size_t lanes = 8;

namespace detail {

struct ScalarRegister {
  static constexpr std::size_t size = 1;
  float value;
  static ScalarRegister load(float const* from) { return {*from}; }
  static ScalarRegister filled(float v) { return {v}; }
  void store(float* to) const { *to = value; }
  friend ScalarRegister multiply_add(ScalarRegister a, ScalarRegister b, ScalarRegister c) {
#if defined(__FMA__) || defined(__FP_FAST_FMAF) || defined(__ARM_FEATURE_FMA)
    // Said outright: left to itself, the compiler fuses in one kernel and not in the other.
    return {std::fma(a.value, b.value, c.value)};
#else
    return {a.value * b.value + c.value};
#endif
  }
};

#if FLTR_HAS_XSIMD
template <class Batch>
struct VectorRegister {
  static constexpr std::size_t size = Batch::size;
  Batch value;
  static VectorRegister load(float const* from) { return {Batch::load_unaligned(from)}; }
  static VectorRegister filled(float v) { return {Batch(v)}; }
  void store(float* to) const { value.store_unaligned(to); }
  friend VectorRegister multiply_add(VectorRegister a, VectorRegister b, VectorRegister c) {
    return {xsimd::fma(a.value, b.value, c.value)};
  }
};
using Batch8 = xsimd::make_sized_batch_t<float, 8>;
using Batch4 = xsimd::make_sized_batch_t<float, 4>;
using Narrow = std::conditional_t<std::is_void_v<Batch4>, ScalarRegister, VectorRegister<Batch4>>;
using Register = std::conditional_t<std::is_void_v<Batch8>, Narrow, VectorRegister<Batch8>>;

template <class T>
using UpTo8 = std::conditional_t<std::is_void_v<xsimd::make_sized_batch_t<T, 8>>, xsimd::batch<T>,
                                 xsimd::make_sized_batch_t<T, 8>>;
using IntegerBatch = UpTo8<std::int32_t>;
using WordBatch = UpTo8<std::uint32_t>;
#else
using Register = ScalarRegister;
#endif

}  // namespace detail

/// Eight floats, in as many registers as this machine needs for them.
class Lanes {
 public:
  static Lanes load(float const* from) {
    Lanes out;
    for (std::size_t r = 0; r < count; ++r) out.parts_[r] = detail::Register::load(from + r * detail::Register::size);
    return out;
  }
  static Lanes filled(float value) {
    Lanes out;
    for (auto& part : out.parts_) part = detail::Register::filled(value);
    return out;
  }
  /// The first n < 8 values, zeros behind them.
  static Lanes load_first(float const* from, std::size_t n) {
    alignas(32) std::array<float, lanes> padded{};
    std::copy_n(from, n, padded.begin());
    return load(padded.data());
  }
  void store(float* to) const {
    for (std::size_t r = 0; r < count; ++r) parts_[r].store(to + r * detail::Register::size);
  }
  void add_product(Lanes const& a, Lanes const& b) {
    for (std::size_t r = 0; r < count; ++r) parts_[r] = multiply_add(a.parts_[r], b.parts_[r], parts_[r]);
  }
  [[nodiscard]] float sum() const {
    alignas(32) std::array<float, lanes> v;
    store(v.data());
    return sum_of(v.data());
  }
  [[nodiscard]] static float sum_of(float const* v) {
    return ((v[0] + v[4]) + (v[2] + v[6])) + ((v[1] + v[5]) + (v[3] + v[7]));
  }

 private:
  static constexpr std::size_t count = lanes / detail::Register::size;
  std::array<detail::Register, count> parts_;
};

/// Σ a_i b_i.
[[nodiscard]] inline float dot(std::span<float const> a, std::span<float const> b) {
  std::size_t const n = a.size();
  auto sum = Lanes::filled(0.0F);
  std::size_t i = 0;
  for (; i + lanes <= n; i += lanes) sum.add_product(Lanes::load(&a[i]), Lanes::load(&b[i]));
  if (i < n) sum.add_product(Lanes::load_first(&a[i], n - i), Lanes::load_first(&b[i], n - i));
  return sum.sum();
}

/// y += factor · x.
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

namespace detail {

template <std::size_t Rows>
void add_rows(float const* factors, float const* const* rows, std::span<float> y) {
  std::array<Lanes, Rows> weights;
  for (std::size_t r = 0; r < Rows; ++r) weights[r] = Lanes::filled(factors[r]);
  auto const add = [&](Lanes sum, std::size_t i) {
    for (std::size_t r = 0; r < Rows; ++r) sum.add_product(weights[r], Lanes::load(rows[r] + i));
    return sum;
  };
  std::size_t i = 0;
  for (; i + lanes <= y.size(); i += lanes) add(Lanes::load(&y[i]), i).store(&y[i]);
  if (i < y.size()) {
    alignas(32) std::array<float, lanes> tail;
    add(Lanes::load_first(&y[i], y.size() - i), i).store(tail.data());
    std::copy_n(tail.begin(), y.size() - i, y.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

}  // namespace detail

/// y += Σ_r factors_r · rows_r, one row after the other, for rows padded with zeros to a multiple of `lanes`. Four rows
/// at a time: y is loaded and stored a quarter as often as by axpy, and the processor still sees streams.
inline void add_rows(std::span<float const> factors, std::span<float const* const> rows, std::span<float> y) {
  std::size_t r = 0;
  for (; r + 4 <= rows.size(); r += 4) detail::add_rows<4>(&factors[r], &rows[r], y);
  if (r + 2 <= rows.size()) {
    detail::add_rows<2>(&factors[r], &rows[r], y);
    r += 2;
  }
  if (r < rows.size()) detail::add_rows<1>(&factors[r], &rows[r], y);
}

namespace detail {

template <std::size_t Rows>
void dot_rows(std::span<float const> w, Lanes const& last, float const* rows, std::size_t stride, float* out) {
  std::array<Lanes, Rows> sums;
  sums.fill(Lanes::filled(0.0F));
  std::size_t i = 0;
  for (; i + lanes <= w.size(); i += lanes) {
    auto const weight = Lanes::load(&w[i]);
    for (std::size_t r = 0; r < Rows; ++r) sums[r].add_product(weight, Lanes::load(rows + r * stride + i));
  }
  if (i < w.size())
    for (std::size_t r = 0; r < Rows; ++r) sums[r].add_product(last, Lanes::load(rows + r * stride + i));
  // All lanes of all rows go through memory at once: the sums of the rows are then independent of each other.
  alignas(32) std::array<float, Rows * lanes> v;
  for (std::size_t r = 0; r < Rows; ++r) sums[r].store(&v[r * lanes]);
  for (std::size_t r = 0; r < Rows; ++r) out[r] = Lanes::sum_of(&v[r * lanes]);
}

}  // namespace detail

/// out_r = Σ_i w_i · rows[r · stride + i]. The rows are padded with zeros to the stride, a multiple of `lanes`, as
/// those of a Dataset are. Each result is bit-equal to `dot` of that row.
///
/// Four rows at a time hide the latency of the sums, but no longer look like one stream to the processor: what comes
/// two groups later is asked for in advance (measured: 1.4 instead of 2.0 times the cost of reading the rows, at 40 x
/// 46).
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
    detail::dot_rows<group>(w, last, rows, stride, &out[r]);
  }
  for (; r < out.size(); ++r, rows += stride) detail::dot_rows<1>(w, last, rows, stride, &out[r]);
}

/// largest_i ← max(largest_i, v_i), for a multiple of `lanes` numbers.
inline void keep_larger(std::int32_t const* v, std::span<std::int32_t> largest) {
#if FLTR_HAS_XSIMD
  using Batch = detail::IntegerBatch;
  for (std::size_t i = 0; i < largest.size(); i += Batch::size)
    xsimd::max(Batch::load_unaligned(v + i), Batch::load_unaligned(&largest[i])).store_unaligned(&largest[i]);
#else
  for (std::size_t i = 0; i < largest.size(); ++i) largest[i] = std::max(largest[i], v[i]);
#endif
}

/// rank_i = #{j: key_j > key_i} + #{j < i: key_j = key_i}: the place of each key among a multiple of `lanes` keys, the
/// largest first, equal ones in their order.
inline void ranks(std::span<std::int32_t const> keys, std::span<std::int32_t> out) {
#if FLTR_HAS_XSIMD
  using Batch = detail::IntegerBatch;
  constexpr std::size_t width = Batch::size;
  Batch const one(1);
  Batch const zero(0);
  alignas(32) std::array<std::int32_t, lanes> numbers;
  for (std::size_t l = 0; l < lanes; ++l) numbers[l] = static_cast<std::int32_t>(l);
  Batch const lane = Batch::load_unaligned(numbers.data());
  for (std::size_t first = 0; first < keys.size(); first += width) {
    Batch const mine = Batch::load_unaligned(&keys[first]);
    Batch above(0);
    for (std::size_t j = 0; j < first; ++j) above += xsimd::select(Batch(keys[j]) >= mine, one, zero);
    for (std::size_t j = 0; j < width; ++j) {
      Batch const other(keys[first + j]);
      auto const before = Batch(static_cast<std::int32_t>(j)) < lane;
      above += xsimd::select((other > mine) | ((other == mine) & before), one, zero);
    }
    for (std::size_t j = first + width; j < keys.size(); ++j) above += xsimd::select(Batch(keys[j]) > mine, one, zero);
    above.store_unaligned(&out[first]);
  }
#else
  for (std::size_t i = 0; i < keys.size(); ++i) {
    out[i] = 0;
    for (std::size_t j = 0; j < keys.size(); ++j) out[i] += keys[j] > keys[i] || (keys[j] == keys[i] && j < i) ? 1 : 0;
  }
#endif
}

/// The largest value; −∞ for none.
[[nodiscard]] inline float maximum(std::span<float const> x) {
  float top = -std::numeric_limits<float>::infinity();
  for (float v : x) top = v > top ? v : top;
  return top;
}

}  // namespace fltr::simd
