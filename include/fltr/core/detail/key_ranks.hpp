#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include <fltr/core/native_vector.hpp>

/// Kernels of TopK over 32-bit integer keys. The number of keys is a multiple of `simd::lanes`.
namespace fltr::detail {

template <std::size_t Lanes>
struct IntegersOf {
  using type [[gnu::vector_size(Lanes * sizeof(std::int32_t))]] = std::int32_t;
};
template <std::size_t Lanes>
using Integers = typename IntegersOf<Lanes>::type;

/// The number of keys that are compared at once. With registers of 512 bits a comparison takes more instructions.
#if defined(__AVX2__)
inline constexpr std::size_t native_integers = 8;
#else
inline constexpr std::size_t native_integers = 4;
#endif

/// largest_i ← max(largest_i, v_i).
inline void keep_larger(std::int32_t const* v, std::span<std::int32_t> largest) {
  for (std::size_t i = 0; i < largest.size(); i += 4) {
    auto const a = simd::load_vector<Integers<4>>(v + i);
    auto const b = simd::load_vector<Integers<4>>(&largest[i]);
    simd::store_vector(a > b ? a : b, &largest[i]);
  }
}

/// key_ranks of the `Lanes` keys from `first` on.
template <std::size_t Lanes>
[[gnu::always_inline]] inline void rank_block(std::span<std::int32_t const> keys, std::size_t first,
                                              std::int32_t* out) {
  using V = Integers<Lanes>;
  static constexpr std::array<std::int32_t, 8> numbers{0, 1, 2, 3, 4, 5, 6, 7};
  auto const lane = simd::load_vector<V>(numbers.data());
  auto const mine = simd::load_vector<V>(&keys[first]);
  // A comparison is −1 where it is true. A key before `first` counts unless it is smaller.
  V above = V{} + static_cast<std::int32_t>(first);
  for (std::size_t j = 0; j < first; j += 4)
    for (std::size_t i = j; i < j + 4; ++i) above += mine > V{} + keys[i];
  // Between the keys of the block, an equal key counts if it is before: it is increased by 1.
  for (std::size_t i = 0; i < Lanes; ++i) above -= (keys[first + i] - (lane > static_cast<std::int32_t>(i))) > mine;
  for (std::size_t j = first + Lanes; j < keys.size(); j += 4)
    for (std::size_t i = j; i < j + 4; ++i) above -= V{} + keys[i] > mine;
  simd::store_vector(above, out + first);
}

/// rank_i = #{j: key_j > key_i} + #{j < i: key_j = key_i}: the position of each key in descending order. Equal keys
/// keep their order. No key is the largest integer.
inline void key_ranks(std::span<std::int32_t const> keys, std::span<std::int32_t> out) {
  for (std::size_t first = 0; first + native_integers <= keys.size(); first += native_integers)
    rank_block<native_integers>(keys, first, out.data());
}

}  // namespace fltr::detail
