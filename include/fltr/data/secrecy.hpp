#pragma once

#include <cstdint>

#include <fltr/core/compiler.hpp>

namespace fltr {

/// Whether the caller declares that a fact about clients' data is public. Noise on messages does not cover such a fact:
/// with a confidential one the ledger accounts epsilon = infinity.
enum class Secrecy : std::uint8_t {
  confidential,  ///< known to its client only
  published,     ///< known to everybody anyway, or computed without the data of any client
};

/// On which other documents the features of a document depend.
enum class ScaledBy : std::uint8_t {
  nothing,    ///< on none, or on published statistics
  query,      ///< on the documents of its query
  documents,  ///< on documents of other queries, which may belong to other clients
};

}  // namespace fltr
