#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include <fltr/accounting/detail/log_normal_cdf.hpp>
#include <fltr/core/error.hpp>
#include <fltr/core/exponential.hpp>
#include <fltr/core/logarithm.hpp>

namespace fltr {

namespace detail {

/// A sum of positive and negative terms, given by their logarithms.
class SignedLogSum {
 public:
  void add(double log_size, bool negative) {
    if (log_size > largest_) {
      sum_ *= math::exp(largest_ - log_size);
      largest_ = log_size;
    }
    double const term = math::exp(log_size - largest_);
    sum_ += negative ? -term : term;
  }
  [[nodiscard]] double logarithm() const { return largest_ + math::log(sum_); }

 private:
  double largest_ = std::numeric_limits<double>::lowest();
  double sum_ = 0.0;
};

/// ln C(α, k) of the next k, and its sign, for any α > 0.
class Binomials {
 public:
  explicit Binomials(double order) : order_(order) {}
  [[nodiscard]] double log_size() const { return log_; }
  [[nodiscard]] bool negative() const { return negative_; }
  void next() {
    double const factor = (order_ - k_) / (k_ + 1.0);
    log_ += math::log(std::abs(factor));
    if (factor < 0.0) negative_ = !negative_;
    k_ += 1.0;
  }

 private:
  double order_;
  double k_ = 0.0;
  double log_ = 0.0;
  bool negative_ = false;
};

}  // namespace detail

/// The Rényi divergence of the Gaussian mechanism with Poisson sampling (Mironov, Talwar and Zhang 2019): each client is
/// in the sample with probability `rate`, `sigma` is the standard deviation divided by the sensitivity. **Adjacency: add
/// or remove one client**, for an observer who does not know the sample. The server of a federation draws the sample, so
/// no ledger here uses it: there is no amplification against the server.
///
/// Integer orders: a finite sum. Other orders: two series with binomial coefficients of both signs (not their absolute
/// values, which some implementations add and which gives a larger bound).
[[nodiscard]] inline double sampled_gaussian_renyi(double order, double rate, double sigma) {
  require(order > 1.0 && std::isfinite(order), "sampled_gaussian_renyi", "a finite order > 1", order);
  require(rate >= 0.0 && rate <= 1.0, "sampled_gaussian_renyi", "a rate in [0, 1]", rate);
  require(sigma > 0.0, "sampled_gaussian_renyi", "a sigma > 0", sigma);
  if (rate == 0.0) return 0.0;
  double const whole = order / (2.0 * sigma * sigma);
  if (rate == 1.0) return whole;
  double const log_in = math::log(rate);
  double const log_out = math::log1p(-rate);
  double const spread = 1.0 / (2.0 * sigma * sigma);
  detail::SignedLogSum sum;
  detail::Binomials binomial(order);
  if (order == std::floor(order)) {
    for (double k = 0.0; k <= order; k += 1.0, binomial.next())
      sum.add(binomial.log_size() + k * log_in + (order - k) * log_out + (k * k - k) * spread, false);
  } else {
    double const split = sigma * sigma * (log_out - log_in) + 0.5;
    double before = std::numeric_limits<double>::infinity();
    for (double k = 0.0;; k += 1.0, binomial.next()) {
      double const rest = order - k;
      double const below = binomial.log_size() + k * log_in + rest * log_out + (k * k - k) * spread +
                           detail::log_normal_cdf((split - k) / sigma);
      double const above = binomial.log_size() + rest * log_in + k * log_out + (rest * rest - rest) * spread +
                           detail::log_normal_cdf((rest - split) / sigma);
      sum.add(below, binomial.negative());
      sum.add(above, binomial.negative());
      double const larger = std::max(below, above);
      if (k > order && larger < -36.0 && larger < before) break;  // the sum is at least 1
      if (k > 1e6) return whole;  // does not converge; without sampling the divergence is at least as large
      before = larger;
    }
  }
  // In this order of arguments, NaN (a sum that rounding made negative) gives `whole`, which is a valid bound.
  return std::min(whole, std::max(sum.logarithm() / (order - 1.0), 0.0));
}

/// The same for **replace-one** adjacency: a bound by Wang, Balle and Kasiviswanathan (2019, theorem 9) with the Gaussian
/// mechanism of twice the sensitivity. It holds for Poisson sampling too: with and without the client, and with a
/// replaced client, the three distributions differ by at most a shift of 2 / σ. With ε(j) = 2j / σ²:
///
///     (α − 1) D ≤ ln [1 + C(α, 2) q² min(4 (e^ε(2) − 1), 2 e^ε(2)) + Σ_{j=3}^{α} 2 C(α, j) q^j e^((j−1) ε(j))]
///
/// for integer α; other orders are interpolated, because (α − 1) D is convex in α.
[[nodiscard]] inline double replaced_sampled_gaussian_renyi(double order, double rate, double sigma) {
  require(order > 1.0 && std::isfinite(order), "replaced_sampled_gaussian_renyi", "a finite order > 1", order);
  require(rate >= 0.0 && rate <= 1.0, "replaced_sampled_gaussian_renyi", "a rate in [0, 1]", rate);
  require(sigma > 0.0, "replaced_sampled_gaussian_renyi", "a sigma > 0", sigma);
  if (rate == 0.0) return 0.0;
  double const whole = 2.0 * order / (sigma * sigma);  // (2 / σ)² / 2 · α
  constexpr double log_two = 0x1.62e42fefa39efp-1;
  auto const at_integer = [&](double a) {  // (α − 1) D
    if (a < 2.0) return 0.0;
    double const full = (a - 1.0) * 2.0 * a / (sigma * sigma);
    if (rate == 1.0) return full;
    double const second = 4.0 / (sigma * sigma);
    detail::SignedLogSum sum;
    sum.add(0.0, false);
    detail::Binomials binomial(a);
    binomial.next();
    binomial.next();
    double const log_rate = math::log(rate);
    // 4 (e^x − 1) is the smaller one only for x < ln 2.
    double const log_pair = second < log_two ? 2.0 * log_two + math::log(math::expm1(second)) : log_two + second;
    sum.add(binomial.log_size() + 2.0 * log_rate + log_pair, false);
    for (double j = 3.0; j <= a; j += 1.0) {
      binomial.next();
      sum.add(log_two + binomial.log_size() + j * log_rate + (j - 1.0) * 2.0 * j / (sigma * sigma), false);
    }
    return std::min(full, sum.logarithm());
  };
  double const floor = std::floor(order);
  double const part = order - floor;
  double const low = at_integer(floor);
  double const product = part == 0.0 ? low : low + part * (at_integer(floor + 1.0) - low);
  return std::min(whole, product / (order - 1.0));
}

}  // namespace fltr
