#pragma once

#include <array>
#include <cstdint>

namespace fltr::detail {

/// Threefry4x32-20 (Salmon et al. 2011): 128 random bits as a pure function of a counter and a key, by additions,
/// rotations and exclusive ors only. `V` is a 32-bit word or a batch of such words.
template <class V>
[[nodiscard]] std::array<V, 4> threefry4x32(std::array<V, 4> x, std::array<std::uint32_t, 4> const& key) {
  std::array<std::uint32_t, 5> const keys{key[0], key[1], key[2], key[3],
                                          0x1BD11BDAU ^ key[0] ^ key[1] ^ key[2] ^ key[3]};
  auto const inject = [&](std::uint32_t time) {
    for (std::uint32_t i = 0; i < 4; ++i) x[i] = x[i] + V(keys[(time + i) % 5]);
    x[3] = x[3] + V(time);
  };
  auto const mix = [](V& a, V& b, int rotation) {
    a = a + b;
    b = ((b << rotation) | (b >> (32 - rotation))) ^ a;
  };
  auto const odd = [&](std::uint32_t time) {
    mix(x[0], x[1], 10), mix(x[2], x[3], 26), mix(x[0], x[3], 11), mix(x[2], x[1], 21);
    mix(x[0], x[1], 13), mix(x[2], x[3], 27), mix(x[0], x[3], 23), mix(x[2], x[1], 5);
    inject(time);
  };
  auto const even = [&](std::uint32_t time) {
    mix(x[0], x[1], 6), mix(x[2], x[3], 20), mix(x[0], x[3], 17), mix(x[2], x[1], 11);
    mix(x[0], x[1], 25), mix(x[2], x[3], 10), mix(x[0], x[3], 18), mix(x[2], x[1], 20);
    inject(time);
  };
  inject(0);
  odd(1), even(2), odd(3), even(4), odd(5);
  return x;
}

}  // namespace fltr::detail
