// same bits: f19aa63278b6e99d
//
// Prints a hash of the bits of `exp_in_place`, `exp_shifted` and `exponential` over many numbers. Includes few headers,
// because it is compiled for every level and compiler.
#include <fltr/core/exponential.hpp>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdio>

int main() {
  constexpr std::size_t size = 61;  // not a multiple of the lanes of a vector
  std::uint64_t state = 1;
  // Steps of 1/2048 in [−1024, 1024), exact in float and double.
  auto const next = [&state] {
    state = state * 6364136223846793005U + 1442695040888963407U;
    return static_cast<double>(static_cast<std::int32_t>(state >> 42U) - (1 << 21)) * 0x1p-11;
  };
  std::uint64_t hash = 14695981039346656037U;
  auto const add = [&hash](double v) { hash = (hash ^ std::bit_cast<std::uint64_t>(v)) * 1099511628211U; };

  for (int block = 0; block < 4000; ++block) {
    std::array<double, size> values;
    std::array<float, size> floats;
    std::array<double, size> shifted;
    for (std::size_t i = 0; i < size; ++i) {
      values[i] = next() * (block % 2 == 0 ? 1.0 : 0x1p-7);
      floats[i] = static_cast<float>(values[i]);
      add(fltr::simd::exponential(values[i]));
    }
    fltr::simd::exp_shifted(floats, 0.625F, shifted);
    fltr::simd::exp_in_place(values);
    for (double const v : values) add(v);
    for (double const v : shifted) add(v);
  }
  std::printf("%016llx\n", static_cast<unsigned long long>(hash));
}
