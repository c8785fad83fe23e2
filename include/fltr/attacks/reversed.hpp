#pragma once

#include <cstdint>

#include <fltr/core/compiler.hpp>

namespace fltr {

/// What SignFlip and InnerProduct reverse. Published codes send gradients; the messages of fltr are models, so that the
/// gradient of those codes is the update.
enum class Reversed : std::uint8_t {
  update,  ///< the difference to the global model: θ_g − τ(θ − θ_g)
  model,   ///< the model itself: −τθ
};

}  // namespace fltr
