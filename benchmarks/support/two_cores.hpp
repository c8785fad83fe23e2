#pragma once

#include <sched.h>

#include <cstdio>

namespace fltr::benchmarks {

/// Whether this process may use two cores. If not, says that the row is left out: two threads on one core measure
/// nothing.
inline bool two_cores(char const* row) {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  if (sched_getaffinity(0, sizeof cores, &cores) != 0 || CPU_COUNT(&cores) != 1) return true;  // two, or unknown
  std::fprintf(stderr, "%s: left out, since there is one core\n", row);
  return false;
}

}  // namespace fltr::benchmarks
