#pragma once

#include <cstdint>

#include <fltr/data/query_pool.hpp>

namespace fltr {

using ClientId = std::uint32_t;

/// The members that every client of a simulation has. The clients of a population may have more members, such as a
/// click log or a merge set, which the learners that need them require.
struct Client {
  ClientId id = 0;
  std::uint32_t interactions = 4;  ///< the number of queries that the client asks per round
  QueryPool queries;
};

}  // namespace fltr
