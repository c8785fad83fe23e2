#pragma once

#include <cstdint>

#include <fltr/core/compiler.hpp>

namespace fltr {

/// The standard deviation that attackers compute of the models they know.
enum class Deviation : std::uint8_t {
  population,  ///< divisor n
  sample,      ///< divisor n − 1; of a single model 0
};

}  // namespace fltr
