#pragma once

#include <cmath>
#include <limits>
#include <span>

#include <fltr/concepts/message.hpp>
#include <fltr/concepts/privatizer.hpp>
#include <fltr/core/error.hpp>
#include <fltr/privatizers/clip.hpp>

namespace fltr {

/// The local Gaussian mechanism: clips the L2 norm of the weights to Δ / 2, then adds N(0, σ²) to every coordinate at
/// the client, with the smallest σ that is (ε, δ)-differentially private for sensitivity Δ (Balle and Wang 2018).
struct GaussianNoise {
  double epsilon = 1.0;
  double delta = 1e-5;
  double sensitivity = 1.0;  ///< Δ, of the L2 norm

  void constrain(std::span<float> weights) const {
    check();
    clip_norm(weights, sensitivity / 2.0);
  }

  template <FlatMessage M>
  [[nodiscard]] M privatize(M message, PrivacyContext const& context) const {
    constrain(message.values);
    double const sigma = standard_deviation();
    Stream stream = context.streams.of(Purpose::privacy);
    for (float& v : message.values) v += static_cast<float>(sigma * stream.normal());
    return message;
  }

  /// δ(σ) = Φ(Δ/2σ − εσ/Δ) − e^ε Φ(−Δ/2σ − εσ/Δ) falls in σ; the root by bisection, from above.
  [[nodiscard]] double standard_deviation() const {
    check();
    double low = 0.0;
    double high = 1.0;
    while (delta_of(high) > delta) high *= 2.0;
    for (int i = 0; i < 200 && high - low > high * 1e-14; ++i) {
      double const middle = 0.5 * (low + high);
      (delta_of(middle) > delta ? low : high) = middle;
    }
    return high * sensitivity;
  }

  [[nodiscard]] PrivacyLoss loss(Release const&) const { return {epsilon, epsilon, delta}; }

 private:
  static double normal_cdf(double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); }

  /// δ for sensitivity 1 and this σ. e^ε Φ(−x) is computed in logarithms where e^ε alone would overflow.
  [[nodiscard]] double delta_of(double sigma) const {
    double const a = 0.5 / sigma;
    double const b = epsilon * sigma;
    double const tail = normal_cdf(-a - b);
    return normal_cdf(a - b) - (tail > 0.0 ? std::exp(epsilon + std::log(tail)) : 0.0);
  }
  void check() const {
    require(epsilon > 0.0, "GaussianNoise", "an epsilon > 0", epsilon);
    require(delta > 0.0 && delta < 1.0, "GaussianNoise", "a delta in (0, 1)", delta);
    require(sensitivity > 0.0 && std::isfinite(sensitivity), "GaussianNoise", "a finite sensitivity > 0", sensitivity);
  }
};
static_assert(Privatizer<GaussianNoise>);

}  // namespace fltr
