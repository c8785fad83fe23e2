#pragma once

#include <cmath>
#include <cstddef>
#include <span>
#include <utility>
#include <variant>

#include <fmt/core.h>

#include <fltr/concepts/message.hpp>
#include <fltr/concepts/privatizer.hpp>
#include <fltr/privatizers/gamma_noise.hpp>
#include <fltr/privatizers/gaussian_noise.hpp>
#include <fltr/privatizers/laplace_noise.hpp>

#include "usage_error.hpp"

namespace fltr::examples {

/// The noise that --mechanism names, as one Privatizer: a program compiles one federation for all of them. A further
/// mechanism is one more type here.
struct AnyNoise {
  std::variant<GammaNoise, LaplaceNoise, GaussianNoise> noise;

  void constrain(std::span<float> weights) const {
    std::visit([&](auto const& n) { n.constrain(weights); }, noise);
  }
  template <FlatMessage M>
  [[nodiscard]] M privatize(M message, PrivacyContext const& context) const {
    return std::visit([&](auto const& n) { return n.privatize(std::move(message), context); }, noise);
  }
  [[nodiscard]] PrivacyLoss loss(RoundRelease const& release) const {
    return std::visit([&](auto const& n) { return n.loss(release); }, noise);
  }
};
static_assert(Privatizer<AnyNoise>);

}  // namespace fltr::examples

/// It states the losses of built-in noise.
template <>
inline constexpr bool fltr::composition::built_in_loss<fltr::examples::AnyNoise> = true;

namespace fltr::examples {

/// GaussianNoise for each of the `messages` messages of a client, such that all of them together are
/// (epsilon, delta)-private. The messages together are one Gaussian mechanism whose sensitivity is √messages times
/// larger. The grid of the noise costs up to 2η of ε and a factor e^η of δ per message (see GaussianNoise), which are
/// paid for here in advance. The ε of one message is rounded down, so that its noise is rounded up.
[[nodiscard]] inline GaussianNoise gaussian_for(double epsilon, double delta, double sensitivity, double messages,
                                                std::size_t parameters) {
  double const d = static_cast<double>(parameters);
  double const grid = messages * (std::sqrt(d) * (std::sqrt(d) + 20.0) * 0x1p-24 + d * 0x1p-49);  // messages · η
  if (!(epsilon > 4.0 * grid))
    throw UsageError(fmt::format("--epsilon: required more than {} for {} messages of {} values, got {}", 4.0 * grid,
                                 messages, parameters, epsilon));
  auto const deviation = [&](double e, double of_delta) {
    return GaussianNoise{.epsilon = e, .delta = of_delta}.standard_deviation();
  };
  double const needed = deviation(epsilon - 2.0 * grid, delta * std::exp(-grid)) * std::sqrt(messages);
  double low = 0.0;
  double high = epsilon;
  for (int i = 0; i < 60; ++i) {
    double const middle = (low + high) / 2.0;
    (deviation(middle, delta) >= needed ? low : high) = middle;
  }
  return {.epsilon = low, .delta = delta, .sensitivity = sensitivity};
}

}  // namespace fltr::examples
