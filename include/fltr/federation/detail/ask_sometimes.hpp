#pragma once

#include <cstddef>

#include <fltr/concepts/execution.hpp>

namespace fltr::detail {

/// The interruption point of step i of a loop over clients: asks once in 65,536 steps, which take less than 10 ms.
template <Execution E>
void ask_sometimes(E const& execution, std::size_t i) {
  if constexpr (composition::NamesHook_interruption_point<E>)
    if (i % 65536 == 0) interruption_point(execution);
}

}  // namespace fltr::detail
