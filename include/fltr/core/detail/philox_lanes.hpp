#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include <fltr/core/native_vector.hpp>

#if FLTR_INTRINSICS
#include <immintrin.h>
#endif

namespace fltr::detail {

/// The products of the lower 32 bits of each lane with a word of 32 bits. g++ 12 does not find the instruction for
/// `(a & 0xFFFFFFFF) * b` itself.
[[nodiscard, gnu::always_inline]] inline simd::WordVector word_products(simd::WordVector a, std::uint32_t b) {
#if FLTR_INTRINSICS && defined(__AVX512F__)
  return std::bit_cast<simd::WordVector>(_mm512_maskz_mul_epu32(0xFF, std::bit_cast<__m512i>(a), _mm512_set1_epi64(b)));
#elif FLTR_INTRINSICS && defined(__AVX2__)
  return std::bit_cast<simd::WordVector>(_mm256_mul_epu32(std::bit_cast<__m256i>(a), _mm256_set1_epi64x(b)));
#elif FLTR_INTRINSICS && !defined(__AVX__)
  return std::bit_cast<simd::WordVector>(_mm_mul_epu32(std::bit_cast<__m128i>(a), _mm_set1_epi64x(b)));
#else
  return (a & 0xFFFF'FFFFU) * b;
#endif
}

/// (⌊bits / 2^12⌋ + ½) · 2^-52 with bits = high · 2^32 + low, lane by lane. All operations are exact.
[[nodiscard, gnu::always_inline]] inline simd::DoubleVector uniform_lanes(simd::WordVector high, simd::WordVector low) {
  simd::WordVector const bits = (high << 32U) | (low & 0xFFFF'FFFFU);
  // With the exponent of 2^52, the 52 bits of the mantissa are an integer.
  auto const shifted = std::bit_cast<simd::DoubleVector>((bits >> 12U) | std::bit_cast<std::uint64_t>(0x1p52));
  return ((shifted - 0x1p52) + 0.5) * 0x1p-52;
}

/// Stores even[0], odd[0], even[1], odd[1] and so on.
[[gnu::always_inline]] inline void store_interleaved(simd::DoubleVector even, simd::DoubleVector odd, double* to) {
#if defined(__AVX512F__)
  simd::store_vector(__builtin_shufflevector(even, odd, 0, 8, 1, 9, 2, 10, 3, 11), to);
  simd::store_vector(__builtin_shufflevector(even, odd, 4, 12, 5, 13, 6, 14, 7, 15), to + 8);
#elif defined(__AVX__)
  simd::store_vector(__builtin_shufflevector(even, odd, 0, 4, 1, 5), to);
  simd::store_vector(__builtin_shufflevector(even, odd, 2, 6, 3, 7), to + 4);
#else
  simd::store_vector(__builtin_shufflevector(even, odd, 0, 2), to);
  simd::store_vector(__builtin_shufflevector(even, odd, 1, 3), to + 2);
#endif
}

/// The 16 numbers that Stream::uniform makes of the eight blocks of Philox4x32-10 that start at `counter`.
inline void philox_uniforms(std::array<std::uint32_t, 4> const& counter, std::array<std::uint32_t, 2> key,
                            double* out) noexcept {
  constexpr std::size_t blocks = 8;
  constexpr std::size_t vectors = blocks / simd::native_doubles;
  // Each lane holds one block. Only the lower 32 bits of a lane count.
  static constexpr std::array<std::uint64_t, blocks> lane{0, 1, 2, 3, 4, 5, 6, 7};
  simd::WordVector c0[vectors];
  simd::WordVector c1[vectors];
  simd::WordVector c2[vectors];
  simd::WordVector c3[vectors];
  for (std::size_t v = 0; v < vectors; ++v) {
    c0[v] = simd::load_vector<simd::WordVector>(&lane[v * simd::native_doubles]) + counter[0];
    c1[v] = simd::WordVector{} + counter[1];
    c2[v] = simd::WordVector{} + counter[2];
    c3[v] = simd::WordVector{} + counter[3];
  }
  for (int round = 0; round < 10; ++round) {
    for (std::size_t v = 0; v < vectors; ++v) {
      simd::WordVector const a = word_products(c0[v], 0xD2511F53U);
      simd::WordVector const b = word_products(c2[v], 0xCD9E8D57U);
      c0[v] = (b >> 32U) ^ c1[v] ^ key[0];
      c1[v] = b;
      c2[v] = (a >> 32U) ^ c3[v] ^ key[1];
      c3[v] = a;
    }
    key[0] += 0x9E3779B9U;
    key[1] += 0xBB67AE85U;
  }
  for (std::size_t v = 0; v < vectors; ++v) {
    simd::DoubleVector const even = uniform_lanes(c0[v], c1[v]);
    simd::DoubleVector const odd = uniform_lanes(c2[v], c3[v]);
    store_interleaved(even, odd, out + 2 * v * simd::native_doubles);
  }
}

}  // namespace fltr::detail
