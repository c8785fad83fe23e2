#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include <fltr/core/compiler.hpp>

/// 1 if kernels use the intrinsics of x86-64. With FLTR_NO_INTRINSICS they use loops over the lanes, as on other
/// processors, with the same bits. All translation units of a program need the same choice.
#if defined(__SSE2__) && !defined(FLTR_NO_INTRINSICS)
#define FLTR_INTRINSICS 1
#else
#define FLTR_INTRINSICS 0
#endif

/// The compiler's vector types (`vector_size` of g++ and clang), as wide as a register of the target. A function
/// template for vectors and single numbers gives the same bits for every width if it uses only additions,
/// `rounded_product`, divisions, square roots, comparisons and integer operations of single lanes.
namespace fltr::simd {

#if defined(__AVX512F__)
inline constexpr std::size_t native_bytes = 64;
#elif defined(__AVX__)
inline constexpr std::size_t native_bytes = 32;
#else
inline constexpr std::size_t native_bytes = 16;
#endif
inline constexpr std::size_t native_doubles = native_bytes / sizeof(double);

using DoubleVector [[gnu::vector_size(native_bytes)]] = double;
/// As many floats as a DoubleVector has doubles.
using FloatVector [[gnu::vector_size(native_bytes / 2)]] = float;
using WordVector [[gnu::vector_size(native_bytes)]] = std::uint64_t;

/// Unsigned integers with the bits of `V`, lane by lane.
template <class V>
struct WordsOf;
template <>
struct WordsOf<double> {
  using type = std::uint64_t;
};
template <>
struct WordsOf<DoubleVector> {
  using type = WordVector;
};

template <class V, class T>
[[nodiscard, gnu::always_inline]] inline V load_vector(T const* from) {
  V out;
  std::memcpy(&out, from, sizeof out);
  return out;
}

template <class V, class T>
[[gnu::always_inline]] inline void store_vector(V const& v, T* to) {
  std::memcpy(to, &v, sizeof v);
}

/// Returns v unchanged. The compiler does not fuse the operation that computed v with the next one, even if it may (g++
/// without -ffp-contract=off for a target with fma), and does not reorder them (-ffast-math). Exception: clang with
/// -ffp-contract=fast still fuses operations on single numbers.
template <class V>
[[nodiscard, gnu::always_inline]] inline V rounded(V v) {
#if defined(__x86_64__)
  if constexpr (sizeof(V) >= 16) {
    // An empty instruction that reads and writes v. g++ 12 takes vectors of floats apart at __builtin_assoc_barrier.
    __asm__("" : "+v"(v));
    return v;
  }
#endif
#if defined(__clang__) && defined(__x86_64__) && __has_builtin(__arithmetic_fence)
  return __arithmetic_fence(v);
#elif !defined(__clang__) && __has_builtin(__builtin_assoc_barrier)
  return __builtin_assoc_barrier(v);
#else
  return v;
#endif
}

template <class V, class U>
[[nodiscard, gnu::always_inline]] inline V rounded_product(V a, U b) {
  return rounded(a * b);
}

}  // namespace fltr::simd
