#include <fltr/core/simd.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include <fltr/core/random.hpp>

#include "support/catch.hpp"

namespace {

namespace simd = fltr::simd;

constexpr double float_epsilon = 0x1p-24;

std::vector<float> random_floats(std::size_t n, fltr::Stream& stream) {
  std::vector<float> values(n);
  for (float& v : values) v = static_cast<float>(stream.normal());
  return values;
}

bool same_bits(float a, float b) { return std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b); }

}  // namespace

TEST_CASE("dot agrees with a loop in double, for every length") {
  fltr::Stream stream(1);
  for (std::size_t n = 0; n <= 67; ++n) {
    auto const a = random_floats(n, stream);
    auto const b = random_floats(n, stream);
    double exact = 0.0;
    double absolute = 0.0;
    for (std::size_t i = 0; i < n; ++i) {
      double const product = static_cast<double>(a[i]) * static_cast<double>(b[i]);
      exact += product;
      absolute += std::abs(product);
    }
    // Higham's bound for a sum of n products in any order: n + 1 roundings per term (3 for the 8 lanes).
    INFO("length " << n);
    CHECK(std::abs(static_cast<double>(simd::dot(a, b)) - exact) <=
          static_cast<double>(n + 4) * float_epsilon * absolute);
  }
}

TEST_CASE("dot of small integers is exact, for every length") {
  // Each element has another value, so that an element that is left out or added twice changes the sum.
  for (std::size_t n = 0; n <= 67; ++n) {
    std::vector<float> a(n);
    std::vector<float> b(n);
    for (std::size_t i = 0; i < n; ++i) {
      a[i] = static_cast<float>(i + 1);
      b[i] = static_cast<float>(2 * i + 1);
    }
    // The sum of (i + 1)(2i + 1) = n (n + 1)(4n - 1) / 6.
    double const m = static_cast<double>(n);
    CHECK(static_cast<double>(simd::dot(a, b)) == m * (m + 1) * (4 * m - 1) / 6);
  }
}

TEST_CASE("Each result of dot_rows is bit-equal to dot of that row") {
  fltr::Stream stream(2);
  for (std::size_t n = 0; n <= 67; ++n) {
    std::size_t const stride = (n + 7) / 8 * 8;
    auto const w = random_floats(n, stream);
    for (std::size_t rows = 0; rows <= 20; ++rows) {
      std::vector<float> matrix(rows * stride);
      for (std::size_t r = 0; r < rows; ++r)
        for (std::size_t i = 0; i < n; ++i) matrix[r * stride + i] = static_cast<float>(stream.normal());
      std::vector<float> out(rows + 1, 123.0F);
      simd::dot_rows(w, matrix.data(), stride, std::span(out).first(rows));
      for (std::size_t r = 0; r < rows; ++r)
        REQUIRE(same_bits(out[r], simd::dot(w, std::span(matrix).subspan(r * stride, n))));
      CHECK(out[rows] == 123.0F);
    }
  }
}

TEST_CASE("axpy agrees with a loop in double, for every length, and writes nothing past the end") {
  fltr::Stream stream(3);
  for (std::size_t n = 0; n <= 67; ++n) {
    auto const x = random_floats(n, stream);
    auto const y = random_floats(n, stream);
    float const factor = static_cast<float>(stream.normal());
    std::vector<float> result = y;
    result.resize(n + 8, 77.0F);
    simd::axpy(factor, x, std::span(result).first(n));
    for (std::size_t i = 0; i < n; ++i) {
      double const product = static_cast<double>(factor) * static_cast<double>(x[i]);
      double const exact = static_cast<double>(y[i]) + product;
      // One rounding of the product and one of the sum. A fused multiply-add has the second one only.
      REQUIRE(std::abs(static_cast<double>(result[i]) - exact) <=
              float_epsilon * (std::abs(product) + 1.001 * std::abs(exact)));
    }
    for (std::size_t i = n; i < n + 8; ++i) CHECK(result[i] == 77.0F);
  }
}

TEST_CASE("add_rows is bit-equal to one axpy per row, and writes nothing past the end") {
  fltr::Stream stream(7);
  for (std::size_t n = 0; n <= 67; ++n) {
    std::size_t const stride = (n + 7) / 8 * 8;
    for (std::size_t count = 0; count <= 9; ++count) {
      std::vector<float> matrix(count * stride);
      std::vector<float const*> rows(count);
      for (std::size_t r = 0; r < count; ++r) {
        rows[r] = matrix.data() + r * stride;
        for (std::size_t i = 0; i < n; ++i) matrix[r * stride + i] = static_cast<float>(stream.normal());
      }
      auto const factors = random_floats(count, stream);
      auto expected = random_floats(n, stream);
      auto result = expected;
      result.resize(n + 8, 77.0F);
      for (std::size_t r = 0; r < count; ++r) simd::axpy(factors[r], {rows[r], n}, expected);
      simd::add_rows(factors, rows, std::span(result).first(n));
      for (std::size_t i = 0; i < n; ++i) REQUIRE(same_bits(result[i], expected[i]));
      for (std::size_t i = n; i < n + 8; ++i) REQUIRE(result[i] == 77.0F);
    }
  }
}

TEST_CASE("maximum ignores NaN and is minus infinity for an empty span") {
  CHECK(simd::maximum({}) == -std::numeric_limits<float>::infinity());
  CHECK(simd::maximum(std::vector<float>{-3.0F, -1.0F, -2.0F}) == -1.0F);
  CHECK(simd::maximum(std::vector<float>{std::nanf(""), 1.0F, std::nanf("")}) == 1.0F);
  CHECK(simd::maximum(std::vector<float>(20, std::nanf(""))) == -std::numeric_limits<float>::infinity());
}

TEST_CASE("maximum finds the largest value at every position, with NaN everywhere else") {
  for (std::size_t n = 1; n <= 35; ++n)
    for (std::size_t at = 0; at < n; ++at) {
      std::vector<float> falling(n);
      for (std::size_t i = 0; i < n; ++i) falling[i] = -1.0F - static_cast<float>(i);
      falling[at] = -0.5F;
      REQUIRE(simd::maximum(falling) == -0.5F);
      std::vector<float> unknown(n, std::nanf(""));
      unknown[at] = -7.0F;
      REQUIRE(simd::maximum(unknown) == -7.0F);
    }
}

TEST_CASE("dot, axpy and add_rows round each product and each sum, for every width of registers") {
  // (1 + 2^-12)^2 = 1 + 2^-11 + 2^-24 is halfway between two floats: it rounds to 1 + 2^-11. A fused multiply-add of
  // the product and -(1 + 2^-11) would keep the 2^-24.
  float const x = 1.0F + 0x1p-12F;
  float const product = 1.0F + 0x1p-11F;
  for (std::size_t n = 1; n <= 20; ++n) {
    std::size_t const stride = (n + 7) / 8 * 8;
    std::vector<float> row(stride, 0.0F);
    std::fill_n(row.begin(), n, x);
    std::vector<float> y(n, -product);
    simd::axpy(x, std::span(row).first(n), y);
    for (float const v : y) REQUIRE(v == 0.0F);
    std::vector<float> z(n, -product);
    simd::add_rows(std::vector<float>{x}, std::vector<float const*>{row.data()}, z);
    for (float const v : z) REQUIRE(v == 0.0F);
  }
  std::vector<float> const a{-product, 0, 0, 0, 0, 0, 0, 0, x};
  std::vector<float> const b{1, 0, 0, 0, 0, 0, 0, 0, x};
  CHECK(simd::dot(a, b) == 0.0F);
}
