#pragma once

#include <cstdint>
#include <vector>

#include <fltr/core/top_k.hpp>

namespace fltr {

/// Buffers for the work of one client after the other, so that an interaction allocates nothing. One per block of
/// clients; nothing in it outlives an interaction, so it never changes a result.
struct Workspace {
  std::vector<float> scores;         ///< one per document
  TopK top_k;                        ///< for those who rank by score
  std::vector<double> masses;        ///< exp(score), one per document
  std::vector<double> remaining;     ///< masses not yet placed
  std::vector<std::uint32_t> order;  ///< documents in rank order
  std::vector<std::uint8_t> grades;  ///< of the documents shown
  std::vector<std::uint8_t> clicks;  ///< on the documents shown
  std::vector<float> credit;         ///< one per document
  std::vector<float> gradient;       ///< one per parameter
};

}  // namespace fltr
