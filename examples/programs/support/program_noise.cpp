#include "program_noise.hpp"

#include <limits>
#include <utility>

namespace fltr::examples {

void ProgramNoise::constrain(std::span<float> weights) const {
  if (auto const* const gamma = std::get_if<GammaNoise>(&noise)) gamma->constrain(weights);
}

LocalWeights ProgramNoise::privatize(LocalWeights message, PrivacyContext const& context) const {
  if (auto const* const gamma = std::get_if<GammaNoise>(&noise)) return gamma->privatize(std::move(message), context);
  if (auto const* const shared = std::get_if<DistributedGaussian>(&noise))
    return shared->privatize(std::move(message), context);
  if (auto const* const polya = std::get_if<PolyaNoise>(&noise)) return polya->privatize(std::move(message), context);
  return message;
}

PrivacyLoss ProgramNoise::loss(RoundRelease const& release) const {
  if (auto const* const gamma = std::get_if<GammaNoise>(&noise)) return gamma->loss(release);
  if (auto const* const shared = std::get_if<DistributedGaussian>(&noise)) return shared->loss(release);
  if (auto const* const polya = std::get_if<PolyaNoise>(&noise)) return polya->loss(release);
  PrivacyLoss out;
  if (release.view == ServerView::sealed_sum && release.discarded) return out;  // the seal was not opened
  out.epsilon_accounted = std::numeric_limits<double>::infinity();
  out.reason = "messages have no noise: a sum alone is not private";
  return out;
}

}  // namespace fltr::examples
