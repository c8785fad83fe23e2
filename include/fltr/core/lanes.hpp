#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

#include <fltr/core/detail/register_batch.hpp>
#include <fltr/core/lane_sum.hpp>

namespace fltr::simd {

/// Eight floats, in one register or two.
class Lanes {
 public:
  static Lanes load(float const* from) {
    Lanes out;
    for (std::size_t r = 0; r < count; ++r) out.parts_[r] = Batch::load_unaligned(from + r * Batch::size);
    return out;
  }
  static Lanes filled(float value) {
    Lanes out;
    out.parts_.fill(Batch(value));
    return out;
  }
  /// The first n < 8 values, followed by zeros.
  static Lanes load_first(float const* from, std::size_t n) {
    alignas(32) std::array<float, lanes> padded{};
    std::copy_n(from, n, padded.begin());
    return load(padded.data());
  }
  void store(float* to) const {
    for (std::size_t r = 0; r < count; ++r) parts_[r].store_unaligned(to + r * Batch::size);
  }
  /// Adds a · b, with one rounding where the target has a fused multiply-add, else with two.
  void add_product(Lanes const& a, Lanes const& b) {
    for (std::size_t r = 0; r < count; ++r) parts_[r] = xsimd::fma(a.parts_[r], b.parts_[r], parts_[r]);
  }
  [[nodiscard]] float sum() const {
    alignas(32) std::array<float, lanes> v;
    store(v.data());
    return lane_sum(v.data());
  }

 private:
  using Batch = detail::RegisterBatch<float>;
  static constexpr std::size_t count = lanes / Batch::size;
  std::array<Batch, count> parts_;
};

}  // namespace fltr::simd
