// same bits: 6dea5ce8ea551678
//
// Prints a hash of the bits of `tanh` over many numbers.
#include <fltr/core/hyperbolic_tangent.hpp>

#include <bit>
#include <cstdint>
#include <cstdio>

int main() {
  std::uint64_t state = 1;
  std::uint64_t hash = 14695981039346656037U;
  for (int i = 0; i < 200'000; ++i) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    double const x = static_cast<double>(static_cast<std::int64_t>(state) >> 11U) * 0x1p-48;  // in [-32, 32)
    hash = (hash ^ std::bit_cast<std::uint64_t>(fltr::math::tanh(i % 2 == 0 ? x : x * 0x1p-9))) * 1099511628211U;
  }
  std::printf("%016llx\n", static_cast<unsigned long long>(hash));
}
