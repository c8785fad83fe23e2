#pragma once

#include <cstdio>
#include <thread>

namespace fltr::benchmarks {

/// Whether this program may use two cores. If not, says that the row is left out: two threads on one core measure
/// nothing.
inline bool two_cores(char const* row) {
  if (std::thread::hardware_concurrency() != 1) return true;  // 0: unknown
  std::fprintf(stderr, "%s: left out, since there is one core\n", row);
  return false;
}

}  // namespace fltr::benchmarks
