#pragma once

#include <string>

namespace fltr::benchmarks {

/// One row of the benchmark: the time of one unit of work (an interaction, a query, a megabyte of text).
struct Row {
  std::string name;
  std::string baseline;    ///< the name of the operation that it is compared with
  double ratio = 0.0;      ///< to the time of the baseline
  double median_ns = 0.0;  ///< per unit, in nanoseconds

  friend bool operator==(Row const&, Row const&) = default;
};

}  // namespace fltr::benchmarks
