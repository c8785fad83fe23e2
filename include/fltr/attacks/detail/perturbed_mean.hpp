#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <string_view>
#include <vector>

#include <fltr/attacks/detail/model_statistics.hpp>
#include <fltr/attacks/deviation.hpp>
#include <fltr/attacks/perturbation.hpp>
#include <fltr/concepts/robust_rule.hpp>
#include <fltr/core/error.hpp>

namespace fltr::detail {

/// The crafted models μ − γp.
struct PerturbedMean {
  std::vector<double> mean;          ///< μ
  std::vector<double> perturbation;  ///< p

  [[nodiscard]] std::vector<double> at(double gamma) const {
    std::vector<double> out(mean);
    for (std::size_t k = 0; k < out.size(); ++k) out[k] -= gamma * perturbation[k];
    return out;
  }
};

/// μ and p of honest models. p is 0 where it is not defined: for μ = θ_g, or for the deviation of one model.
[[nodiscard]] inline PerturbedMean perturbed_mean(MessageRows const& honest, std::span<float const> global,
                                                  Perturbation perturbation) {
  PerturbedMean out{model_mean(honest), {}};
  if (perturbation == Perturbation::standard_deviation) {
    out.perturbation = model_deviation(honest, out.mean, Deviation::sample);
    return out;
  }
  out.perturbation = out.mean;
  for (std::size_t k = 0; k < global.size(); ++k) out.perturbation[k] -= static_cast<double>(global[k]);
  double const length = model_length(out.perturbation);
  for (double& p : out.perturbation)
    p = perturbation == Perturbation::sign ? static_cast<double>((p > 0.0) - (p < 0.0)) : length > 0.0 ? p / length : 0;
  return out;
}

/// ‖x_i − (μ − γp)‖² of the rows x_i, as the polynomials aγ² + 2b_i γ + c_i.
class CraftedDistances {
 public:
  CraftedDistances(MessageRows const& rows, PerturbedMean const& crafted) {
    auto const p = [&](std::size_t k) { return crafted.perturbation[k]; };
    square_ = model_product(rows.parameters(), p, p);
    for (std::size_t i = 0; i < rows.clients(); ++i) {
      auto const row = rows.row(i);
      auto const difference = [&](std::size_t k) { return static_cast<double>(row[k]) - crafted.mean[k]; };
      linear_.push_back(model_product(rows.parameters(), difference, p));
      constant_.push_back(model_product(rows.parameters(), difference, difference));
    }
  }

  [[nodiscard]] double largest(double gamma) const {
    double out = 0.0;
    for (std::size_t i = 0; i < constant_.size(); ++i) out = std::max(out, value(gamma, i));
    return out;
  }
  [[nodiscard]] double sum(double gamma) const {
    double out = 0.0;
    for (std::size_t i = 0; i < constant_.size(); ++i) out += value(gamma, i);
    return out;
  }

  /// The largest γ with largest(γ) ≤ bound.
  [[nodiscard]] double gamma_of_largest(double bound) const {
    double out = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < constant_.size(); ++i)
      out = std::min(out, root(square_, linear_[i], constant_[i] - bound));
    return std::isfinite(out) ? out : 0.0;
  }
  /// The largest γ with sum(γ) ≤ bound.
  [[nodiscard]] double gamma_of_sum(double bound) const {
    double linear = 0.0;
    double constant = 0.0;
    for (std::size_t i = 0; i < constant_.size(); ++i) {
      linear += linear_[i];
      constant += constant_[i];
    }
    double const out = root(square_ * static_cast<double>(constant_.size()), linear, constant - bound);
    return std::isfinite(out) ? out : 0.0;
  }

 private:
  [[nodiscard]] double value(double gamma, std::size_t i) const {
    return constant_[i] + gamma * (2.0 * linear_[i] + gamma * square_);
  }
  /// The larger root of aγ² + 2bγ + c with c ≤ 0; infinity if γ does not matter.
  [[nodiscard]] static double root(double a, double b, double c) {
    if (!(a > 0.0)) return std::numeric_limits<double>::infinity();
    return std::max(0.0, (std::sqrt(std::max(0.0, b * b - a * c)) - b) / a);
  }

  double square_ = 0.0;
  std::vector<double> linear_;
  std::vector<double> constant_;
};

/// The search of Shejwalkar and Houmansadr: γ begins with `first` and increases or decreases by half of the last step,
/// until it is at most `threshold` from the last accepted γ. Returns that γ; 0 if none was accepted.
template <class Accepts>
[[nodiscard]] double largest_accepted(std::string_view attack, double first, double threshold, Accepts&& accepts) {
  require(std::isfinite(first) && first > 0.0, attack, "a finite gamma_init > 0", first);
  require(std::isfinite(threshold) && threshold > 0.0, attack, "a finite threshold > 0", threshold);
  double accepted = 0.0;
  double gamma = first;
  double step = first;
  while (std::abs(accepted - gamma) > threshold) {
    step /= 2.0;
    bool const larger = accepts(gamma);
    if (larger) accepted = gamma;
    double const next = larger ? gamma + step : gamma - step;
    if (next == gamma) break;  // the threshold is below the spacing of doubles
    gamma = next;
  }
  return accepted;
}

}  // namespace fltr::detail
