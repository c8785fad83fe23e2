#pragma once

#include <array>
#include <cstdint>

#include <fltr/core/compiler.hpp>

namespace fltr::detail {

/// Four words of 32 bits, or four vectors of such words.
template <class V>
struct FourWords {
  V a;
  V b;
  V c;
  V d;
};

/// Threefry4x32-20 (Salmon et al. 2011): 128 random bits as a pure function of a counter and a key, by additions,
/// rotations and exclusive ors only. Turns the counter x into the random bits. `V` is a word or a vector of words.
template <class V>
[[gnu::always_inline]] inline void threefry4x32(FourWords<V>& x, std::array<std::uint32_t, 4> const& key) {
  std::uint32_t const last = 0x1BD11BDAU ^ key[0] ^ key[1] ^ key[2] ^ key[3];
  auto const [k0, k1, k2, k3] = key;
  V a = x.a + k0;
  V b = x.b + k1;
  V c = x.c + k2;
  V d = x.d + k3;
  auto const mix = [](V& left, V& right, int rotation) __attribute__((always_inline)) {
    left = left + right;
    right = ((right << rotation) | (right >> (32 - rotation))) ^ left;
  };
  auto const odd = [&]() __attribute__((always_inline)) {
    mix(a, b, 10), mix(c, d, 26), mix(a, d, 11), mix(c, b, 21);
    mix(a, b, 13), mix(c, d, 27), mix(a, d, 23), mix(c, b, 5);
  };
  auto const even = [&]() __attribute__((always_inline)) {
    mix(a, b, 6), mix(c, d, 20), mix(a, d, 17), mix(c, b, 11);
    mix(a, b, 25), mix(c, d, 10), mix(a, d, 18), mix(c, b, 20);
  };
  odd();
  a = a + k1, b = b + k2, c = c + k3, d = d + (last + 1U);
  even();
  a = a + k2, b = b + k3, c = c + last, d = d + (k0 + 2U);
  odd();
  a = a + k3, b = b + last, c = c + k0, d = d + (k1 + 3U);
  even();
  a = a + last, b = b + k0, c = c + k1, d = d + (k2 + 4U);
  odd();
  x = {a + k0, b + k1, c + k2, d + (k3 + 5U)};
}

}  // namespace fltr::detail
