#pragma once

#include <cstdint>

namespace fltr {

/// When a client asks a query. A source of queries whose `draw` depends on time receives this (see QuerySource).
struct DrawAt {
  std::uint32_t round = 1;         ///< of the training, counting from 1
  std::uint32_t interaction = 0;   ///< of the client in this round, counting from 0
  std::uint32_t interactions = 1;  ///< of the client in this round
};

}  // namespace fltr
