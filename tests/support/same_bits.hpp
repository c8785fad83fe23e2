#pragma once

#include <algorithm>

#include <fltr/core/fields.hpp>

namespace fltr::testing {

/// Whether the fields of two values have the same bytes.
template <HasFields T>
bool same_bits(T const& a, T const& b) {
  return std::ranges::equal(field_bytes(a), field_bytes(b));
}

}  // namespace fltr::testing
