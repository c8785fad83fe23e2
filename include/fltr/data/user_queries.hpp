#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <fltr/core/compiler.hpp>

namespace fltr {

/// Which user asked which queries of a Dataset, in the order of time. read_user_queries makes it.
struct UserQueries {
  std::vector<std::string> users;                   ///< their names, in the order of their first queries
  std::vector<std::vector<std::uint32_t>> queries;  ///< for each user: numbers in the Dataset, in the order of time
  std::uint64_t ignored = 0;                        ///< lines of the file with a qid that the Dataset does not have
};

}  // namespace fltr
