#pragma once

#include <cstdint>

#include <fltr/core/compiler.hpp>

namespace fltr {

/// The units in which the documents of a grade are divided among clients.
enum class DivideBy : std::uint8_t {
  documents,  ///< each document alone, as in the papers; with many clients, most have few documents of a query
  queries,    ///< the documents of a query with the same grade stay together
};

}  // namespace fltr
