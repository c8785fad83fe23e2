#pragma once

#include <cstdint>
#include <vector>

#include <fltr/core/top_k.hpp>

namespace fltr {

/// The buffers of the built-in learners (their nested type `Workspace`). Buffers keep their memory between clients and
/// interactions, so that an interaction allocates nothing. An interaction never reads values of an earlier one.
struct LearnerWorkspace {
  std::vector<float> scores;          ///< one per document
  TopK top_k;                         ///< selects the documents with the highest scores
  std::vector<double> masses;         ///< exp(score), one per document
  std::vector<double> remaining;      ///< masses of the documents that are not yet placed
  std::vector<std::uint32_t> order;   ///< documents in rank order
  std::vector<std::uint8_t> grades;   ///< one per displayed document
  std::vector<float> score_gradient;  ///< one per document
  std::vector<float> gradient;        ///< one per parameter
};

}  // namespace fltr
