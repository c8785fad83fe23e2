#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <fltr/core/random.hpp>
#include <fltr/core/uint128.hpp>
#include <fltr/core/wipe.hpp>

namespace fltr::detail::secure {

/// Arithmetic modulo the prime 2^61 − 1. No branch and no memory access depends on a number.
struct ShareField {
  static constexpr std::uint64_t prime = (std::uint64_t{1} << 61U) - 1;

  /// A number below 2^62 as one below the prime.
  [[nodiscard]] static constexpr std::uint64_t reduce(std::uint64_t a) noexcept {
    a = (a & prime) + (a >> 61U);
    std::uint64_t const less = a - prime;             // wraps if a < prime
    std::uint64_t const wrapped = 0 - (less >> 63U);  // all ones if it did
    return less + (prime & wrapped);
  }
  [[nodiscard]] static constexpr std::uint64_t add(std::uint64_t a, std::uint64_t b) noexcept { return reduce(a + b); }
  [[nodiscard]] static constexpr std::uint64_t subtract(std::uint64_t a, std::uint64_t b) noexcept {
    return reduce(a + prime - b);
  }
  [[nodiscard]] static constexpr std::uint64_t multiply(std::uint64_t a, std::uint64_t b) noexcept {
    Uint128 const product = Uint128{a} * b;
    return reduce((static_cast<std::uint64_t>(product) & prime) + static_cast<std::uint64_t>(product >> 61U));
  }
  /// 1 / a by Fermat's theorem. Requires a ≠ 0.
  [[nodiscard]] static constexpr std::uint64_t inverse(std::uint64_t a) noexcept {
    std::uint64_t out = 1;
    for (std::uint64_t exponent = prime - 2; exponent > 0; exponent >>= 1U, a = multiply(a, a))
      if ((exponent & 1U) != 0) out = multiply(out, a);
    return out;
  }
};

/// A secret of 256 bits.
using Secret256 = std::array<std::uint8_t, 32>;

/// A share of a Secret256: the values of five polynomials at one point. Each polynomial hides seven bytes of the secret
/// (the last one four).
using Share = std::array<std::uint64_t, 5>;

[[nodiscard]] inline Share secret_limbs(Secret256 const& secret) noexcept {
  Share limbs{};
  for (std::size_t i = 0; i < secret.size(); ++i) limbs[i / 7] |= std::uint64_t{secret[i]} << (8 * (i % 7));
  return limbs;
}

/// Whether all numbers of a share are below the prime.
[[nodiscard]] inline bool proper(Share const& share) noexcept {
  for (std::uint64_t const v : share)
    if (v >= ShareField::prime) return false;
  return true;
}

/// Shamir's scheme (1979): shares of a secret for these points, which must be different and in [1, 2^61 − 1). Any
/// `threshold` of them restore it; fewer are independent of it. The coefficients are uniform on the field, drawn
/// without bias from `stream`.
[[nodiscard]] inline std::vector<Share> split_secret(Secret256 const& secret, std::span<std::uint64_t const> points,
                                                     std::size_t threshold, Stream& stream) {
  WipedVector<Share> kept{std::vector<Share>(threshold)};
  auto& coefficients = kept.items;
  Share limbs = secret_limbs(secret);
  coefficients[0] = limbs;
  wipe(limbs);
  for (std::size_t i = 1; i < threshold; ++i)
    for (std::uint64_t& v : coefficients[i]) v = stream.below64(ShareField::prime);
  std::vector<Share> shares(points.size());
  for (std::size_t h = 0; h < points.size(); ++h) {
    Share value{};
    for (std::size_t i = threshold; i > 0; --i)
      for (std::size_t l = 0; l < value.size(); ++l)
        value[l] = ShareField::add(ShareField::multiply(value[l], points[h]), coefficients[i - 1][l]);
    shares[h] = value;
  }
  return shares;
}

/// One share and its point.
struct PointShare {
  std::uint64_t point = 0;
  Share share{};
};

/// The secret through these shares, of different points in [1, 2^61 − 1). Returns false if the numbers are not those of
/// a Secret256, so that a share is wrong. (A wrong share is not always noticed here.)
[[nodiscard]] inline bool restore_secret(std::span<PointShare const> shares, Secret256& secret) {
  Share limbs{};
  for (std::size_t i = 0; i < shares.size(); ++i) {
    // The Lagrange polynomial of this point at 0: Π x_j / (x_j − x_i).
    std::uint64_t above = 1;
    std::uint64_t below = 1;
    for (std::size_t j = 0; j < shares.size(); ++j) {
      if (j == i) continue;
      above = ShareField::multiply(above, shares[j].point);
      below = ShareField::multiply(below, ShareField::subtract(shares[j].point, shares[i].point));
    }
    std::uint64_t const weight = ShareField::multiply(above, ShareField::inverse(below));
    for (std::size_t l = 0; l < limbs.size(); ++l)
      limbs[l] = ShareField::add(limbs[l], ShareField::multiply(weight, shares[i].share[l]));
  }
  std::uint64_t too_large = limbs[4] >> 32U;
  for (std::size_t l = 0; l < 4; ++l) too_large |= limbs[l] >> 56U;
  for (std::size_t i = 0; i < secret.size(); ++i) secret[i] = static_cast<std::uint8_t>(limbs[i / 7] >> (8 * (i % 7)));
  wipe(limbs);
  return too_large == 0;
}

}  // namespace fltr::detail::secure
