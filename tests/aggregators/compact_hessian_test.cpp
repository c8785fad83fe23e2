#include <fltr/aggregators/detail/compact_hessian.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <fltr/core/random.hpp>

#include "support/catch.hpp"

using namespace fltr;
using fltr::detail::CompactHessian;
using fltr::detail::CurvaturePair;

namespace {

using Numbers = std::vector<double>;

double product(Numbers const& a, Numbers const& b) {
  double sum = 0.0;
  for (std::size_t k = 0; k < a.size(); ++k) sum += a[k] * b[k];
  return sum;
}

Numbers normals(std::size_t size, Stream& stream) {
  Numbers out(size);
  for (double& x : out) x = stream.normal();
  return out;
}

/// The BFGS update as it is defined: B ← B − B s sᵀ B / sᵀ B s + y yᵀ / sᵀ y, from σ I.
std::vector<Numbers> dense_bfgs(std::vector<CurvaturePair> const& pairs) {
  std::size_t const d = pairs[0].step.size();
  auto const& newest = pairs.back();
  std::vector<Numbers> b(d, Numbers(d));
  for (std::size_t k = 0; k < d; ++k) b[k][k] = product(newest.step, newest.change) / product(newest.step, newest.step);
  for (auto const& [s, y] : pairs) {
    Numbers bs(d);
    for (std::size_t k = 0; k < d; ++k) bs[k] = product(b[k], s);
    double const sbs = product(s, bs);
    double const sy = product(s, y);
    for (std::size_t i = 0; i < d; ++i)
      for (std::size_t j = 0; j < d; ++j) b[i][j] += y[i] * y[j] / sy - bs[i] * bs[j] / sbs;
  }
  return b;
}

}  // namespace

TEST_CASE("The compact form is the product of BFGS updates, also of pairs with negative curvature") {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    Stream stream(seed);
    std::size_t const d = 3 + stream.below(20);
    std::size_t const n = 1 + stream.below(6);
    std::vector<CurvaturePair> pairs;
    for (std::size_t i = 0; i < n; ++i) {
      CurvaturePair pair{normals(d, stream), normals(d, stream)};
      if (seed % 3 != 0)  // a positive definite Hessian plus noise
        for (std::size_t k = 0; k < d; ++k)
          pair.change[k] = static_cast<double>(k + 1) * pair.step[k] + 0.1 * pair.change[k];
      pairs.push_back(pair);
    }
    CompactHessian const hessian(pairs);
    REQUIRE(hessian.pairs() == n);
    auto const expected = dense_bfgs(pairs);
    double scale = 0.0;
    for (auto const& row : expected)
      for (double const x : row) scale = std::max(scale, std::abs(x));
    Numbers const v = normals(d, stream);
    Numbers const bv = hessian.times(v);
    for (std::size_t k = 0; k < d; ++k)
      CHECK(bv[k] == Approx(product(expected[k], v)).epsilon(1e-6).margin(1e-6 * scale));
    // The secant equation: B s = y for the newest pair.
    Numbers const bs = hessian.times(pairs.back().step);
    for (std::size_t k = 0; k < d; ++k)
      CHECK(bs[k] == Approx(pairs.back().change[k]).epsilon(1e-6).margin(1e-7 * scale));
  }
}

TEST_CASE("More pairs than dimensions, and repeated pairs, are no problem if their curvature is positive") {
  std::vector<CurvaturePair> pairs;
  Stream stream(4);
  for (int i = 0; i < 6; ++i) {
    Numbers const s = normals(2, stream);
    pairs.push_back({s, {3.0 * s[0], 5.0 * s[1]}});
  }
  pairs.push_back(pairs.back());
  CompactHessian const hessian(pairs);
  CHECK(hessian.pairs() == 7);
  Numbers const bv = hessian.times(pairs.back().step);
  CHECK(bv[0] == Approx(pairs.back().change[0]));
  CHECK(bv[1] == Approx(pairs.back().change[1]));
}

TEST_CASE("Pairs that make the matrix singular are left out, the oldest first") {
  CurvaturePair const flat{{1.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};  // the update did not change
  CurvaturePair const curved{{0.0, 1.0, 0.0}, {0.0, 4.0, 0.0}};
  CHECK(CompactHessian(std::vector<CurvaturePair>{}).times(Numbers{1.0, 2.0}) == Numbers{0.0, 0.0});

  std::vector const oldest_is_flat{flat, curved};
  CompactHessian const one(oldest_is_flat);
  CHECK(one.pairs() == 1);
  CHECK(one.times(Numbers{1.0, 1.0, 1.0}) == Numbers{4.0, 4.0, 4.0});

  std::vector const newest_is_flat{curved, flat};
  CompactHessian const none(newest_is_flat);
  CHECK(none.pairs() == 0);
  CHECK(none.times(Numbers{1.0, 1.0, 1.0}) == Numbers{0.0, 0.0, 0.0});
}
