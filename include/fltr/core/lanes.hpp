#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

#include <fltr/core/lane_sum.hpp>
#include <fltr/core/native_vector.hpp>

namespace fltr::simd {

/// Eight floats, in one register or two. Every operation rounds each lane once, so that the bits of a result do not
/// depend on the width of the registers. No operation is fused.
class Lanes {
 public:
#if defined(__AVX__)
  using Register [[gnu::vector_size(32)]] = float;
#else
  using Register [[gnu::vector_size(16)]] = float;
#endif
  /// Half of the lanes.
  using Quad [[gnu::vector_size(16)]] = float;

  [[nodiscard, gnu::always_inline]] static Lanes load(float const* from) {
    Lanes out;
    for (std::size_t r = 0; r < count; ++r) out.parts_[r] = simd::load_vector<Register>(from + r * size);
    return out;
  }
  [[nodiscard, gnu::always_inline]] static Lanes filled(float value) {
    Lanes out;
    for (Register& part : out.parts_) part = Register{} + value;
    return out;
  }
  /// The first n < 8 values, followed by zeros.
  [[nodiscard]] static Lanes load_first(float const* from, std::size_t n) {
    alignas(32) std::array<float, lanes> padded{};
    std::copy_n(from, n, padded.begin());
    return load(padded.data());
  }
  /// The last n mod 8 of n values, followed by zeros.
  [[nodiscard, gnu::always_inline]] static Lanes load_rest(float const* from, std::size_t n) {
    std::size_t const rest = n % lanes;
    if (n < lanes) return load_first(from, n);
    alignas(32) std::array<float, 2 * lanes> padded;
    load(from + n - lanes).store(padded.data());
    filled(0.0F).store(&padded[lanes]);
    return load(&padded[lanes - rest]);
  }
  [[gnu::always_inline]] void store(float* to) const {
    for (std::size_t r = 0; r < count; ++r) simd::store_vector(parts_[r], to + r * size);
  }
  /// Adds a · b. The product is rounded, then the sum.
  [[gnu::always_inline]] void add_product(Lanes const& a, Lanes const& b) {
    for (std::size_t r = 0; r < count; ++r) parts_[r] += simd::rounded_product(a.parts_[r], b.parts_[r]);
  }
  /// Keeps the larger of each two lanes. A lane of `other` that is NaN is ignored.
  [[gnu::always_inline]] void keep_larger(Lanes const& other) {
    for (std::size_t r = 0; r < count; ++r) parts_[r] = other.parts_[r] > parts_[r] ? other.parts_[r] : parts_[r];
  }
  /// Lane i + lane i + 4: the first step of lane_sum.
  [[nodiscard, gnu::always_inline]] Quad halved() const {
#if defined(__AVX__)
    return __builtin_shufflevector(parts_[0], parts_[0], 0, 1, 2, 3) +
           __builtin_shufflevector(parts_[0], parts_[0], 4, 5, 6, 7);
#else
    return parts_[0] + parts_[1];
#endif
  }
  [[nodiscard, gnu::always_inline]] float sum() const {
    Quad const h = halved();
    return (h[0] + h[2]) + (h[1] + h[3]);
  }
  /// The largest lane.
  [[nodiscard, gnu::always_inline]] float largest() const {
    alignas(32) std::array<float, lanes> v;
    store(v.data());
    for (std::size_t width = lanes / 2; width > 0; width /= 2)
      for (std::size_t i = 0; i < width; ++i) v[i] = v[i + width] > v[i] ? v[i + width] : v[i];
    return v[0];
  }

 private:
  static constexpr std::size_t size = sizeof(Register) / sizeof(float);
  static constexpr std::size_t count = lanes / size;
  std::array<Register, count> parts_;
};

}  // namespace fltr::simd
