#pragma once

#include <stdexcept>

namespace fltr::examples {

/// Wrong usage: the program ends with exit status 2. Programs throw it for options that contradict each other.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace fltr::examples
