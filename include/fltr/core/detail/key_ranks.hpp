#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include <fltr/core/detail/register_batch.hpp>
#include <fltr/core/lane_sum.hpp>

/// Kernels of TopK over 32-bit integer keys. The number of keys is a multiple of `simd::lanes`.
namespace fltr::detail {

/// largest_i ← max(largest_i, v_i).
inline void keep_larger(std::int32_t const* v, std::span<std::int32_t> largest) {
  using Batch = RegisterBatch<std::int32_t>;
  for (std::size_t i = 0; i < largest.size(); i += Batch::size)
    xsimd::max(Batch::load_unaligned(v + i), Batch::load_unaligned(&largest[i])).store_unaligned(&largest[i]);
}

/// rank_i = #{j: key_j > key_i} + #{j < i: key_j = key_i}: the position of each key in descending order. Equal keys
/// keep their order.
inline void key_ranks(std::span<std::int32_t const> keys, std::span<std::int32_t> out) {
  using Batch = RegisterBatch<std::int32_t>;
  constexpr std::size_t width = Batch::size;
  Batch const one(1);
  Batch const zero(0);
  alignas(32) std::array<std::int32_t, simd::lanes> numbers;
  for (std::size_t l = 0; l < numbers.size(); ++l) numbers[l] = static_cast<std::int32_t>(l);
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
}

}  // namespace fltr::detail
