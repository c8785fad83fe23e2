#pragma once

#include <cstdint>

#include <fltr/data/client.hpp>
#include <fltr/data/query_pool.hpp>

namespace fltr {

/// A client that trains a model on its own queries and merges it with the models of the other clients.
struct MergingClient {
  ClientId id = 0;
  std::uint32_t interactions = 1;  ///< its model counts as one
  QueryPool queries;               ///< for training
  QueryPool validation{};          ///< for early stopping; may be empty
  QueryPool merge;                 ///< D_merge: for merging; unlike its own queries
  QueryPool merge_validation{};    ///< for early stopping while merging; may be empty
};

}  // namespace fltr
