#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include <fltr/core/native_vector.hpp>

#if FLTR_INTRINSICS
#include <immintrin.h>
#endif

namespace fltr::simd {

/// Eight doubles, in one register, two or four, with the same bits for every width.
class EightDoubles {
 public:
  [[nodiscard, gnu::always_inline]] static EightDoubles load(double const* from) {
    EightDoubles out;
    for (std::size_t v = 0; v < count; ++v) out.parts_[v] = load_vector<DoubleVector>(from + v * native_doubles);
    return out;
  }
  [[nodiscard, gnu::always_inline]] static EightDoubles filled(double value) {
    EightDoubles out;
    for (DoubleVector& part : out.parts_) part = DoubleVector{} + value;
    return out;
  }
  [[gnu::always_inline]] void store(double* to) const {
    for (std::size_t v = 0; v < count; ++v) store_vector(parts_[v], to + v * native_doubles);
  }
  /// f(a, …) of the lanes. f takes and returns a DoubleVector.
  template <class F, class... Eight>
  [[nodiscard, gnu::always_inline]] static EightDoubles each(F const& f, Eight const&... a) {
    EightDoubles out;
    for (std::size_t v = 0; v < count; ++v) out.parts_[v] = f(a.parts_[v]...);
    return out;
  }
  [[gnu::always_inline]] EightDoubles& operator+=(EightDoubles const& other) {
    for (std::size_t v = 0; v < count; ++v) parts_[v] += other.parts_[v];
    return *this;
  }
  /// In the order of simd::lane_sum.
  [[nodiscard, gnu::always_inline]] double sum() const {
    auto const v = std::bit_cast<std::array<double, 8>>(parts_);
    return ((v[0] + v[4]) + (v[2] + v[6])) + ((v[1] + v[5]) + (v[3] + v[7]));
  }

  /// s_i = Σ_{j ≤ i} v_j, by adding the lanes that are 1, then 2, then 4 places before.
  [[nodiscard, gnu::always_inline]] EightDoubles running_sums() const {
    EightDoubles out = *this;
    DoubleVector const zero{};
    auto& p = out.parts_;
#if defined(__AVX512F__)
    p[0] += __builtin_shufflevector(zero, p[0], 0, 8, 9, 10, 11, 12, 13, 14);
    p[0] += __builtin_shufflevector(zero, p[0], 0, 1, 8, 9, 10, 11, 12, 13);
    p[0] += __builtin_shufflevector(zero, p[0], 0, 1, 2, 3, 8, 9, 10, 11);
#elif defined(__AVX__)
    auto const before = __builtin_shufflevector(p[0], p[1], 3, 4, 5, 6);
    p[0] += __builtin_shufflevector(zero, p[0], 0, 4, 5, 6);
    p[1] += before;
    auto const two_before = __builtin_shufflevector(p[0], p[1], 2, 3, 4, 5);
    p[0] += __builtin_shufflevector(zero, p[0], 0, 1, 4, 5);
    p[1] += two_before;
    p[1] += p[0];
#else
    for (std::size_t v = count; v-- > 0;)
      p[v] += v > 0 ? __builtin_shufflevector(p[v - 1], p[v], 1, 2) : __builtin_shufflevector(zero, p[v], 0, 2);
    for (std::size_t v = count; v-- > 1;) p[v] += p[v - 1];
    p[3] += p[1];
    p[2] += p[0];
#endif
    return out;
  }

  /// The number of lanes that are at most x.
  [[nodiscard, gnu::always_inline]] std::size_t count_at_most(double x) const {
#if FLTR_INTRINSICS && defined(__AVX512F__)
    return static_cast<std::size_t>(
        std::popcount(unsigned{_mm512_cmp_pd_mask(parts_[0], _mm512_set1_pd(x), _CMP_LE_OQ)}));
#elif FLTR_INTRINSICS && defined(__AVX__)
    auto const below = [&](DoubleVector part) {
      return static_cast<unsigned>(_mm256_movemask_pd(_mm256_cmp_pd(part, _mm256_set1_pd(x), _CMP_LE_OQ)));
    };
    return static_cast<std::size_t>(std::popcount(below(parts_[0]) | (below(parts_[1]) << 4U)));
#elif FLTR_INTRINSICS
    auto const below = [&](DoubleVector part) {
      return static_cast<unsigned>(_mm_movemask_pd(_mm_cmple_pd(part, _mm_set1_pd(x))));
    };
    return static_cast<std::size_t>(std::popcount(below(parts_[0]) | (below(parts_[1]) << 2U) |
                                                  (below(parts_[2]) << 4U) | (below(parts_[3]) << 6U)));
#else
    std::size_t n = 0;
    for (double const lane : std::bit_cast<std::array<double, 8>>(parts_)) n += lane <= x ? 1 : 0;
    return n;
#endif
  }

 private:
  static constexpr std::size_t count = 8 / native_doubles;
  std::array<DoubleVector, count> parts_;
};

}  // namespace fltr::simd
