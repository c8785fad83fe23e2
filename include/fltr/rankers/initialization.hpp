#pragma once

#include <cstdint>

#include <fltr/core/compiler.hpp>

namespace fltr {

/// The weights of a ranker before the first round. A ranker whose weights are not all 0 keeps them.
enum class Initialization : std::uint8_t {
  zero,    ///< all weights 0: the first ranking of PDGD is uniformly random
  random,  ///< linear: a random direction of norm 0.01 (FPDGD's reference code); neural: normal, 1 / fan-in
};

}  // namespace fltr
