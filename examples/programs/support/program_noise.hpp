#pragma once

#include <span>
#include <variant>

#include <fltr/concepts/privatizer.hpp>
#include <fltr/messages/local_weights.hpp>
#include <fltr/privatizers/distributed_gaussian.hpp>
#include <fltr/privatizers/gamma_noise.hpp>
#include <fltr/privatizers/polya_noise.hpp>

namespace fltr::examples {

/// The noise of a program whose messages are local weights, as one Privatizer: a program compiles one federation for
/// all of them. Without noise the privacy loss is infinite, for a sum too.
struct ProgramNoise {
  struct None {};

  std::variant<None, GammaNoise, DistributedGaussian, PolyaNoise> noise{};

  void constrain(std::span<float> weights) const;
  [[nodiscard]] LocalWeights privatize(LocalWeights message, PrivacyContext const& context) const;
  [[nodiscard]] PrivacyLoss loss(RoundRelease const& release) const;
};
static_assert(Privatizer<ProgramNoise>);

}  // namespace fltr::examples

/// It states the losses of built-in noise.
template <>
inline constexpr bool fltr::composition::built_in_loss<fltr::examples::ProgramNoise> = true;
