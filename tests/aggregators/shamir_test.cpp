#include <fltr/aggregators/detail/shamir.hpp>

#include <cstddef>
#include <cstdint>
#include <set>
#include <vector>

#include "support/catch.hpp"

namespace {

using namespace fltr;
using detail::secure::PointShare;
using detail::secure::Secret256;
using detail::secure::ShareField;

Secret256 some_secret(std::uint64_t seed) {
  Stream stream(seed);
  Secret256 out{};
  for (auto& byte : out) byte = static_cast<std::uint8_t>(stream());
  return out;
}

}  // namespace

TEST_CASE("Arithmetic modulo 2^61 - 1 agrees with 128-bit remainders, at the ends of the range too") {
  constexpr std::uint64_t p = ShareField::prime;
  Stream stream(1);
  std::vector<std::uint64_t> numbers{0, 1, 2, p - 1, p - 2, p / 2};
  for (int i = 0; i < 50; ++i) numbers.push_back(stream.below64(p));
  for (std::uint64_t a : numbers) {
    if (a != 0) CHECK(ShareField::multiply(a, ShareField::inverse(a)) == 1);
    for (std::uint64_t b : numbers) {
      CHECK(ShareField::multiply(a, b) == static_cast<std::uint64_t>(Uint128{a} * b % p));
      CHECK(ShareField::add(a, b) == (a + b) % p);
      CHECK(ShareField::subtract(a, b) == (a + p - b) % p);
    }
  }
  CHECK(ShareField::reduce(p) == 0);
}

TEST_CASE("Every three of five shares restore the secret, and two do not") {
  std::vector<std::uint64_t> const points{1, 4, 9, 1000, std::uint64_t{1} << 32U};
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    auto secret = some_secret(seed);
    if (seed == 0) secret.fill(0xFF);
    if (seed == 1) secret.fill(0);
    Stream stream(seed + 100);
    auto const shares = detail::secure::split_secret(secret, points, 3, stream);
    int subsets = 0;
    for (std::size_t a = 0; a < 5; ++a)
      for (std::size_t b = a + 1; b < 5; ++b) {
        Secret256 wrong{};
        std::vector<PointShare> const two{{points[a], shares[a]}, {points[b], shares[b]}};
        // A wrong secret by chance has probability 2^-256.
        bool const restored = detail::secure::restore_secret(two, wrong);
        CHECK_FALSE((restored && wrong == secret));
        for (std::size_t c = b + 1; c < 5; ++c) {
          Secret256 got{};
          std::vector<PointShare> const three{{points[a], shares[a]}, {points[b], shares[b]}, {points[c], shares[c]}};
          CHECK(detail::secure::restore_secret(three, got));
          CHECK(got == secret);
          ++subsets;
        }
      }
    CHECK(subsets == 10);
  }
}

TEST_CASE("A changed share gives another secret") {
  std::vector<std::uint64_t> const points{1, 2, 3};
  auto const secret = some_secret(5);
  Stream stream(6);
  auto shares = detail::secure::split_secret(secret, points, 3, stream);
  shares[1][2] ^= 1;
  std::vector<PointShare> const three{{1, shares[0]}, {2, shares[1]}, {3, shares[2]}};
  Secret256 got{};
  bool const restored = detail::secure::restore_secret(three, got);
  CHECK_FALSE((restored && got == secret));
  CHECK_FALSE(detail::secure::proper({ShareField::prime, 0, 0, 0, 0}));
  CHECK(detail::secure::proper({ShareField::prime - 1, 0, 0, 0, 0}));
}

TEST_CASE("Two shares of three do not depend on the secret") {
  // For two secrets, the lowest byte of the first two shares. The values are uniform whatever the secret: chi-squared
  // with 255 degrees of freedom exceeds 383 with probability below 1e-6.
  std::vector<std::uint64_t> const points{1, 2, 3};
  for (std::uint8_t fill : {0, 255}) {
    Secret256 secret{};
    secret.fill(fill);
    std::vector<double> counts(256);
    for (std::uint64_t run = 0; run < 20000; ++run) {
      Stream stream(run);
      auto const shares = detail::secure::split_secret(secret, points, 3, stream);
      for (std::size_t s = 0; s < 2; ++s) counts[shares[s][0] & 0xFFU] += 1.0;
    }
    double chi = 0.0;
    for (double c : counts) chi += (c - 40000.0 / 256) * (c - 40000.0 / 256) / (40000.0 / 256);
    CHECK(chi < 383.0);
  }
}

namespace {

/// The coefficients, from the constant one on, of the polynomials of degree below n through n shares: Newton's divided
/// differences, expanded from the inside out. One Share per power.
std::vector<detail::secure::Share> coefficients_through(std::vector<PointShare> const& shares) {
  std::size_t const n = shares.size();
  std::vector<detail::secure::Share> out(n);
  for (std::size_t limb = 0; limb < out[0].size(); ++limb) {
    std::vector<std::uint64_t> difference;
    for (PointShare const& one : shares) difference.push_back(one.share[limb]);
    for (std::size_t order = 1; order < n; ++order)
      for (std::size_t i = n - 1; i >= order; --i)
        difference[i] =
            ShareField::multiply(ShareField::subtract(difference[i], difference[i - 1]),
                                 ShareField::inverse(ShareField::subtract(shares[i].point, shares[i - order].point)));
    std::vector<std::uint64_t> polynomial(n);
    for (std::size_t i = n; i > 0; --i) {  // polynomial · (x − x_{i−1}) + difference_{i−1}
      for (std::size_t k = n - 1; k > 0; --k)
        polynomial[k] =
            ShareField::subtract(polynomial[k - 1], ShareField::multiply(polynomial[k], shares[i - 1].point));
      polynomial[0] = ShareField::subtract(difference[i - 1], ShareField::multiply(polynomial[0], shares[i - 1].point));
    }
    for (std::size_t k = 0; k < n; ++k) out[k][limb] = polynomial[k];
  }
  return out;
}

}  // namespace

TEST_CASE(
    "Every coefficient but the constant one is uniform and drawn anew: then t - 1 shares say nothing of the secret") {
  // Shares of t − 1 points are independent of the secret exactly if the t − 1 other coefficients are independent and
  // uniform. A coefficient that is 0, or equal to another one, would let t − 1 shares restore the secret.
  // Chi-squared with 255 degrees of freedom exceeds 405 with probability below 1e-8; 30 of them are computed.
  std::vector<std::uint64_t> const points{1, 2, 3, 1000, std::uint64_t{1} << 32U};
  for (std::size_t const threshold : {2U, 3U, 5U}) {
    Secret256 secret{};
    secret.fill(0x5A);
    std::vector<std::vector<double>> counts((threshold - 1) * 5, std::vector<double>(256));
    std::set<std::uint64_t> drawn;
    constexpr int runs = 2000;
    for (int run = 0; run < runs; ++run) {
      Stream stream(static_cast<std::uint64_t>(run));
      auto const shares = detail::secure::split_secret(secret, points, threshold, stream);
      std::vector<PointShare> some;
      for (std::size_t i = 0; i < threshold; ++i) some.push_back({points[i], shares[i]});
      auto const coefficients = coefficients_through(some);
      REQUIRE(coefficients[0] == detail::secure::secret_limbs(secret));
      for (std::size_t i = 1; i < threshold; ++i)
        for (std::size_t limb = 0; limb < 5; ++limb) {
          counts[(i - 1) * 5 + limb][coefficients[i][limb] & 0xFFU] += 1.0;
          drawn.insert(coefficients[i][limb]);
        }
    }
    CHECK(drawn.size() == runs * (threshold - 1) * 5);  // two of 40,000 are equal with probability 4e-10
    for (auto const& of_one : counts) {
      double chi = 0.0;
      for (double const c : of_one) chi += (c - runs / 256.0) * (c - runs / 256.0) / (runs / 256.0);
      CHECK(chi < 405.0);
    }
  }
}
