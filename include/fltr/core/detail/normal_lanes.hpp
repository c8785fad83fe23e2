#pragma once

#include <bit>
#include <cmath>
#include <cstddef>

#include <fltr/core/logarithm.hpp>
#include <fltr/core/native_vector.hpp>
#include <fltr/core/sine_cosine.hpp>

#if FLTR_INTRINSICS
#include <immintrin.h>
#endif

namespace fltr::detail {

[[nodiscard, gnu::always_inline]] inline double square_roots(double v) { return std::sqrt(v); }
/// The square roots, by the IEEE operation. (g++ makes no vector code of std::sqrt, since it sets errno.)
[[nodiscard, gnu::always_inline]] inline simd::DoubleVector square_roots(simd::DoubleVector v) {
#if FLTR_INTRINSICS && defined(__AVX512F__)
  return std::bit_cast<simd::DoubleVector>(_mm512_maskz_sqrt_pd(0xFF, std::bit_cast<__m512d>(v)));
#elif FLTR_INTRINSICS && defined(__AVX__)
  return std::bit_cast<simd::DoubleVector>(_mm256_sqrt_pd(std::bit_cast<__m256d>(v)));
#elif FLTR_INTRINSICS
  return std::bit_cast<simd::DoubleVector>(_mm_sqrt_pd(std::bit_cast<__m128d>(v)));
#else
  for (std::size_t i = 0; i < simd::native_doubles; ++i) v[i] = std::sqrt(v[i]);
  return v;
#endif
}

/// The transform of Box and Muller for a double or a DoubleVector, with the same bits for both: a standard normal
/// number of two uniform numbers in (0, 1).
template <class V>
[[nodiscard, gnu::always_inline]] inline V normal_lanes(V first, V second) {
  V const radius = square_roots(simd::rounded_product(log_lanes(first), -2.0));
  return simd::rounded_product(radius, sine_cosine_lanes(second).cosine);
}

/// The normal numbers of 16 uniform numbers, two for each, in their order.
inline void normals_of_uniforms(double const* uniforms, double* out) {
  for (std::size_t l = 0; l < 8; l += simd::native_doubles) {
    auto const a = simd::load_vector<simd::DoubleVector>(uniforms + 2 * l);
    auto const b = simd::load_vector<simd::DoubleVector>(uniforms + 2 * l + simd::native_doubles);
#if defined(__AVX512F__)
    simd::DoubleVector const first = __builtin_shufflevector(a, b, 0, 2, 4, 6, 8, 10, 12, 14);
    simd::DoubleVector const second = __builtin_shufflevector(a, b, 1, 3, 5, 7, 9, 11, 13, 15);
#elif defined(__AVX__)
    simd::DoubleVector const first = __builtin_shufflevector(a, b, 0, 2, 4, 6);
    simd::DoubleVector const second = __builtin_shufflevector(a, b, 1, 3, 5, 7);
#else
    simd::DoubleVector const first = __builtin_shufflevector(a, b, 0, 2);
    simd::DoubleVector const second = __builtin_shufflevector(a, b, 1, 3);
#endif
    simd::store_vector(normal_lanes(first, second), out + l);
  }
}

}  // namespace fltr::detail
