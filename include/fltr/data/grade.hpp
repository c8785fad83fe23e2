#pragma once

#include <cstdint>

#include <fltr/core/compiler.hpp>

namespace fltr {

/// The relevance of a document to a query: 0 (not relevant) to grade_count − 1.
using Grade = std::uint8_t;

/// The highest grade that a document may have.
inline constexpr Grade largest_grade = 30;

}  // namespace fltr
