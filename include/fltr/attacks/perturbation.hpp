#pragma once

#include <cstdint>

#include <fltr/core/compiler.hpp>

namespace fltr {

/// The direction p in which the attackers of MinMax, MinSum and DynOpt move away from the mean μ of the honest models:
/// they send μ − γp (Shejwalkar and Houmansadr 2021). The paper attacks gradients; the gradient of a client is here its
/// update, the difference to the global model θ_g.
enum class Perturbation : std::uint8_t {
  unit_vector,         ///< p = (μ − θ_g) / ‖μ − θ_g‖
  sign,                ///< p = sign(μ − θ_g)
  standard_deviation,  ///< p = the sample standard deviation of each parameter over the honest models
};

/// How MinMax and MinSum find γ.
enum class GammaSearch : std::uint8_t {
  stepwise,  ///< as published: tries gamma_init, then adds or subtracts half of the last step; γ < 2 · gamma_init
  exact,     ///< solves the quadratic equation: the largest γ of any size
};

}  // namespace fltr
