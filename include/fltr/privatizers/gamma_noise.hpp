#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>

#include <fltr/concepts/message.hpp>
#include <fltr/concepts/privatizer.hpp>
#include <fltr/core/error.hpp>
#include <fltr/privatizers/clip.hpp>
#include <fltr/privatizers/noise_grid.hpp>

namespace fltr {

/// At which norm FPDGD clips the weights.
enum class ClipAt : std::uint8_t {
  half,   ///< Δ / 2: the paper
  delta,  ///< Δ: its reference code, and pham2022
};

/// FPDGD's privacy (algorithm 3): clips the weights after every local step; then each of n clients adds
/// γ − γ' to each coordinate, γ and γ' ~ Gamma(1/n, Δ/ε), so that the noise of all of them together is Laplace(Δ/ε).
///
/// As published it gives less than it says. The clip bounds the L2 norm, but Laplace noise per coordinate needs the L1
/// sensitivity, which is up to √d times larger (2√d with the clip at Δ); ε is spent in every round; and a single
/// message carries next to no noise, so the server must only see sums. `loss` states both figures. It assumes that all
/// clients that were asked report, with equal weights, to a server that keeps only the sum: with fewer the noise is
/// smaller than Laplace.
///
/// The weights are rounded toward zero to a grid of 2^-24 to 2^-23 noise scales, and the noise is rounded to it (see
/// NoiseGrid). The noise itself is drawn with floating-point numbers, so that no exact proof holds as it does for
/// LaplaceNoise: this is the paper's mechanism, not protected against attacks on floating-point noise.
struct GammaNoise {
  double epsilon = 4.5;
  double sensitivity = 5.0;
  ClipAt clip_at = ClipAt::half;

  void constrain(std::span<float> weights) const {
    check();
    clip_norm(weights, clip_at == ClipAt::half ? sensitivity / 2.0 : sensitivity);
  }

  template <FlatMessage M>
  [[nodiscard]] M privatize(M message, PrivacyContext const& context) const {
    complete(message, context.interactions);
    constrain(message.values);  // for learners that take no local steps
    require(context.participants > 0, "GammaNoise", "at least one participant", context.participants);
    Stream stream = context.streams.of(Purpose::privacy);
    double const shape = 1.0 / static_cast<double>(context.participants);
    double const scale = sensitivity / epsilon;
    NoiseGrid const grid(scale);
    auto const steps = grid.to_steps(message.values);
    double const scale_in_steps = scale / grid.step();
    for (std::size_t i = 0; i < steps.size(); ++i) {
      double const plus = stream.gamma(shape);
      double const minus = stream.gamma(shape);
      message.values[i] = grid.to_float(steps[i] + std::llrint((plus - minus) * scale_in_steps));
    }
    return message;
  }

  [[nodiscard]] PrivacyLoss loss(Release const& release) const {
    double const l1_per_sensitivity =
        std::sqrt(static_cast<double>(release.dimension)) * (clip_at == ClipAt::half ? 1.0 : 2.0);
    return {epsilon, epsilon * l1_per_sensitivity, 0.0};
  }

 private:
  void check() const {
    require(epsilon > 0.0, "GammaNoise", "an epsilon > 0", epsilon);
    require(epsilon <= 0x1p28, "GammaNoise", "an epsilon <= 2^28", epsilon);
    require(sensitivity > 0.0 && std::isfinite(sensitivity), "GammaNoise", "a finite sensitivity > 0", sensitivity);
  }
};
static_assert(Privatizer<GammaNoise>);

}  // namespace fltr
