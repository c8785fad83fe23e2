#pragma once

#include <cstdint>

namespace fltr {

/// Where a model's weights start. A ranker whose weights are not all zero is a start model as it is.
enum class Start : std::uint8_t {
  zero,    ///< all weights 0: the first ranking of PDGD is uniformly random
  random,  ///< linear: a random direction of norm 0.01 (FPDGD's reference code); neural: normal, 1 / fan-in
};

}  // namespace fltr
