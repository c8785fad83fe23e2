#pragma once

#include <cstdint>

#include <fltr/core/compiler.hpp>

namespace fltr {

/// The time at which a client asks a query: the argument of a QuerySource whose `draw` depends on time.
struct DrawAt {
  std::uint32_t round = 1;         ///< of the training, counted from 1
  std::uint32_t interaction = 0;   ///< of the client in this round, counted from 0
  std::uint32_t interactions = 1;  ///< the number of interactions of the client in this round
};

}  // namespace fltr
