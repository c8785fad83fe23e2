#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <span>

#include <fltr/core/random.hpp>
#include <fltr/core/simd.hpp>

namespace fltr {

namespace simd {

/// u ← log u, and sine and cosine of the angles, lane by lane.
template <std::size_t N>
void log_sine_cosine(std::array<float, N>& u, std::array<float, N> const& angle, std::array<float, N>& sine,
                     std::array<float, N>& cosine) {
#if FLTR_HAS_XSIMD
  using Batch = xsimd::batch<float>;
  if constexpr (N % Batch::size == 0) {
    for (std::size_t i = 0; i < N; i += Batch::size) {
      xsimd::log(Batch::load_unaligned(&u[i])).store_unaligned(&u[i]);
      auto const [s, c] = xsimd::sincos(Batch::load_unaligned(&angle[i]));
      s.store_unaligned(&sine[i]);
      c.store_unaligned(&cosine[i]);
    }
    return;
  }
#endif
  for (std::size_t i = 0; i < N; ++i) {
    u[i] = std::log(u[i]);
    sine[i] = std::sin(angle[i]);
    cosine[i] = std::cos(angle[i]);
  }
}

}  // namespace simd

/// Many standard normal numbers at once, from a seed alone: whoever has the seed has the noise, bit for bit (in one
/// build). Philox by blocks of eight counters, then Box and Muller in float, all in lanes. Several times the speed of
/// Stream::normal, for those who need thousands of numbers and can live with 24 bits of each.
class NormalNoise {
 public:
  explicit NormalNoise(std::uint64_t seed) noexcept
      : key_{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32U)} {}

  /// The first numbers of the sequence, as many as fit.
  void fill(std::span<float> out) const {
    std::array<float, per_call> block;
    for (std::size_t i = 0; i < out.size(); i += per_call) {
      std::size_t const n = std::min(per_call, out.size() - i);
      if (n == per_call) {
        generate(static_cast<std::uint32_t>(i / per_call), out.data() + i);
      } else {
        generate(static_cast<std::uint32_t>(i / per_call), block.data());
        std::copy_n(block.begin(), n, out.begin() + static_cast<std::ptrdiff_t>(i));
      }
    }
  }

 private:
  static constexpr std::size_t width = 8;
  static constexpr std::size_t per_call = 4 * width;
  /// Apart from every Purpose: a message's seed must not lead to another stream of the simulation.
  static constexpr std::uint32_t domain = 0x4E4F4953;

  using Words = std::array<std::uint32_t, width>;
  using Floats = std::array<float, width>;

  /// Philox4x32-10 of eight counters side by side: plain loops, which compilers turn into lanes.
  void generate(std::uint32_t call, float* out) const {
    Words a, b, c, d;
    for (std::size_t l = 0; l < width; ++l) {
      a[l] = static_cast<std::uint32_t>(call * width + l);
      b[l] = domain;
      c[l] = 0;
      d[l] = 0;
    }
    std::array<std::uint32_t, 2> key = key_;
    for (int round = 0; round < 10; ++round) {
      for (std::size_t l = 0; l < width; ++l) {
        std::uint64_t const p = std::uint64_t{0xD2511F53U} * a[l];
        std::uint64_t const q = std::uint64_t{0xCD9E8D57U} * c[l];
        std::uint32_t const na = static_cast<std::uint32_t>(q >> 32U) ^ b[l] ^ key[0];
        std::uint32_t const nc = static_cast<std::uint32_t>(p >> 32U) ^ d[l] ^ key[1];
        b[l] = static_cast<std::uint32_t>(q);
        d[l] = static_cast<std::uint32_t>(p);
        a[l] = na;
        c[l] = nc;
      }
      key[0] += 0x9E3779B9U;
      key[1] += 0xBB67AE85U;
    }
    box_muller(a, b, out);
    box_muller(c, d, out + 2 * width);
  }

  /// Two words per lane into two normal numbers per lane.
  static void box_muller(Words const& first, Words const& second, float* out) {
    Floats u, angle, sine, cosine;
    for (std::size_t l = 0; l < width; ++l) {
      // 24 bits each: u in (0, 1), never 0 nor 1; the angle in [−π, π).
      u[l] = (static_cast<float>(first[l] >> 8U) + 0.5F) * 0x1p-24F;
      angle[l] = (static_cast<float>(second[l] >> 8U) * 0x1p-23F - 1.0F) * std::numbers::pi_v<float>;
    }
    simd::log_sine_cosine(u, angle, sine, cosine);
    for (std::size_t l = 0; l < width; ++l) {
      float const radius = std::sqrt(-2.0F * u[l]);
      out[l] = radius * cosine[l];
      out[width + l] = radius * sine[l];
    }
  }

  std::array<std::uint32_t, 2> key_;
};

}  // namespace fltr
