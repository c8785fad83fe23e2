#pragma once

#include <fltr/core/fields.hpp>

namespace fltr::detail {

/// Compile-time check of a Training that is saved.
template <class T>
consteval bool require_saved() {
  if constexpr (requires { typename T::Ranker; })
    static_assert(HasFields<typename T::Ranker>,
                  "fltr: the Ranker has no 'fields', so its Training cannot be saved (required: auto fields(auto&& "
                  "visit) { return visit(members...); }, where every member can be written)");
  return true;
}

}  // namespace fltr::detail
