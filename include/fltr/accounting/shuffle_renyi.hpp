#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include <fltr/concepts/privacy_loss.hpp>
#include <fltr/concepts/renyi_orders.hpp>
#include <fltr/core/error.hpp>
#include <fltr/core/exponential.hpp>
#include <fltr/core/logarithm.hpp>

namespace fltr {

namespace detail {

/// The distribution of |z| on a fixed set of points, z the mean of m = C + 1 random signs, C ~ Binomial(n − 1, e^(−ε₀)).
/// It is larger in the convex order than the exact one: mass between two points is split so that the mean stays, and m
/// is rounded down.
class MeanOfSigns {
 public:
  MeanOfSigns(double local_epsilon, std::uint64_t reports) {
    auto const trials = static_cast<double>(reports - 1);
    double const rate = math::exp(-local_epsilon);
    double const mean = trials * rate;
    // Chernoff: C is below `low` with a probability of at most e^−703. Beyond `high` it counts as `high`.
    double const low = std::max(0.0, std::ceil(mean - radius * std::sqrt(mean)));
    double const high = std::min(trials, std::floor(mean + 12.0 * std::sqrt(mean) + 40.0));
    fine_ = std::min(1.0, radius / std::sqrt(low + 1.0));
    masses_.resize(fine_ < 1.0 ? fine_points + coarse_points + 1 : fine_points + 1);
    if (low > 0.0) masses_.back() = rare;

    auto const count = static_cast<std::size_t>(high - low) + 1;
    std::vector<double> weights(count);
    // e^(−ε₀) / (1 − e^(−ε₀)): the odds of a success.
    double const odds = 1.0 / math::expm1(local_epsilon);
    auto const mode = static_cast<std::size_t>(std::clamp(std::floor(mean), low, high) - low);
    weights[mode] = 1.0;
    for (std::size_t i = mode; i + 1 < count; ++i) {
      double const c = low + static_cast<double>(i);
      weights[i + 1] = weights[i] * (trials - c) / (c + 1.0) * odds;
    }
    for (std::size_t i = mode; i > 0; --i) {
      double const c = low + static_cast<double>(i);
      weights[i - 1] = weights[i] * c / (trials - c + 1.0) / odds;
    }
    double total = 0.0;
    for (double const w : weights) total += w;
    std::size_t const width = (count + 255) / 256;
    for (std::size_t i = 0; i < count; i += width) {
      double mass = 0.0;
      for (std::size_t j = i; j < std::min(count, i + width); ++j) mass += weights[j] / total;
      add(low + static_cast<double>(i) + 1.0, mass);
    }
  }

  [[nodiscard]] std::span<double const> masses() const& { return masses_; }
  /// The point of this number, from 0 to 1.
  [[nodiscard]] double point(std::size_t i) const {
    if (i <= fine_points) return fine_ * static_cast<double>(i) / fine_points;
    return fine_ + (1.0 - fine_) * static_cast<double>(i - fine_points) / coarse_points;
  }

 private:
  static constexpr std::size_t fine_points = 512;
  static constexpr std::size_t coarse_points = 32;
  static constexpr double radius = 37.5;  // standard deviations
  static constexpr double rare = 1e-304;  // above 2 e^−703

  /// Adds the mean of m signs with this mass. It is beyond 37.5/√m with a probability of at most 2e^−703
  /// (Hoeffding).
  void add(double m, double mass) {
    double const most = std::min(m, std::ceil(m / 2.0 + radius / 2.0 * std::sqrt(m)));
    if (most < m) masses_.back() += rare * mass;
    std::vector<double> weights;
    double weight = 1.0;
    double total = 0.0;
    for (double x = std::ceil(m / 2.0); x <= most; x += 1.0) {
      weights.push_back(2.0 * x == m ? weight / 2.0 : weight);  // z = 0 has no counterpart
      total += weights.back();
      weight *= (m - x) / (x + 1.0);
    }
    double x = std::ceil(m / 2.0);
    for (double const w : weights) {
      spread((2.0 * x - m) / m, mass * w / total);
      x += 1.0;
    }
  }
  void spread(double z, double mass) {
    double const at = z <= fine_ ? z / fine_ * fine_points : fine_points + (z - fine_) / (1.0 - fine_) * coarse_points;
    auto const i = std::min(static_cast<std::size_t>(at), masses_.size() - 2);
    double const share = std::clamp((z - point(i)) / (point(i + 1) - point(i)), 0.0, 1.0);
    masses_[i] += mass * (1.0 - share);
    masses_[i + 1] += mass * share;
  }

  double fine_ = 1.0;
  std::vector<double> masses_;
};

}  // namespace detail

/// Rényi divergences, at each of `renyi_orders`, of what a server learns that sees only a set of messages without their
/// senders, or a function of this set, such as their sum. Each of n clients sends one message of the same ε₀-private
/// mechanism; one client's data are replaced. The bound of Feldman, McMillan and Talwar (2021, theorem 3.2): with
/// probability e^(−ε₀) the message of another client is as likely that of one data set of the client as of the other.
/// With C ~ Binomial(n − 1, e^(−ε₀)) such clients and z the mean of C + 1 random signs
///
///     (α − 1) D ≤ ln E[(1 + tz)^α (1 − tz)^(1−α)],  t = tanh(ε₀/2)
///
/// which follows from their pair of binomial distributions. It needs no condition on ε₀, unlike the closed form of
/// theorem 3.1, and composes over rounds as other Rényi divergences do. The function of z is convex, so that distributions
/// that are larger in the convex order give upper bounds. n is rounded down to 7 binary digits. Each thread keeps the
/// last curves.
[[nodiscard]] inline std::vector<double> shuffled_renyi_curve(double local_epsilon, std::uint64_t reports) {
  require(local_epsilon >= 0.0, "shuffled_renyi_curve", "a local epsilon >= 0", local_epsilon);
  require(reports > 0, "shuffled_renyi_curve", "at least one report", reports);
  std::uint64_t kept_digits = reports;
  int shift = 0;
  for (; kept_digits >= 128; kept_digits >>= 1U) ++shift;
  std::uint64_t const n = kept_digits << shift;

  struct Kept {
    double local_epsilon;
    std::uint64_t reports;
    std::vector<double> values;
  };
  thread_local std::vector<Kept> kept;
  for (Kept const& one : kept)
    if (one.local_epsilon == local_epsilon && one.reports == n) return one.values;

  std::vector<double> out;
  for (double const order : renyi_orders) out.push_back(pure_renyi(order, local_epsilon));
  // With less than one such client in 1,000 rounds nothing is gained.
  if (local_epsilon > 0.0 && static_cast<double>(n) * math::exp(-local_epsilon) > 1e-3) {
    detail::MeanOfSigns const z(local_epsilon, n);
    double const e = math::expm1(local_epsilon);
    double const t = e / (e + 2.0);
    struct Point {
      double mass;
      double up;    // ln(1 + tz)
      double down;  // ln(1 − tz)
    };
    std::vector<Point> points;
    for (std::size_t i = 0; i < z.masses().size(); ++i)
      if (z.masses()[i] > 0.0)
        points.push_back({z.masses()[i], math::log1p(t * z.point(i)), math::log1p(-t * z.point(i))});
    for (std::size_t k = 0; k < out.size(); ++k) {
      double const a = renyi_orders[k];
      double largest = 0.0;
      for (Point const& p : points) largest = std::max(largest, a * p.up - (a - 1.0) * p.down);
      double product = 0.0;  // (α − 1) D
      if (largest < 600.0) {
        double sum = 0.0;  // E − 1; the terms of z and −z together are at least 0
        for (Point const& p : points)
          sum += p.mass * std::max(0.0, 0.5 * (math::expm1(a * p.up - (a - 1.0) * p.down) +
                                               math::expm1(a * p.down - (a - 1.0) * p.up)));
        product = math::log1p(sum * (1.0 + 1e-9) + 1e-16 * a);
      } else {
        double sum = 0.0;
        for (Point const& p : points)
          sum +=
              p.mass * 0.5 *
              (math::exp(a * p.up - (a - 1.0) * p.down - largest) + math::exp(a * p.down - (a - 1.0) * p.up - largest));
        product = largest + math::log(sum) + 1e-9;
      }
      out[k] = std::min(out[k], product / (a - 1.0));
    }
  }
  if (kept.size() >= 16) kept.erase(kept.begin());
  kept.push_back({local_epsilon, n, out});
  return out;
}

}  // namespace fltr
