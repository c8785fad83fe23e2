#pragma once

#include <cstddef>
#include <utility>

#include <fltr/concepts/execution.hpp>
#include <fltr/core/collected.hpp>
#include <fltr/federation/detail/roster.hpp>

namespace fltr::detail {

/// The result of read() in the process that keeps the state of the client at this position. All processes must call it.
template <Execution E, class Read>
[[nodiscard]] auto at_owner(E const& execution, std::size_t clients, std::size_t position, Read const& read) {
  if constexpr (BlockKeepingExecution<E>) {
    auto found = execution.reduce(Roster::block_count(clients), [&](std::size_t block) {
      Collected<decltype(read())> out;
      if (block == position / Roster::block_size) out.add(read());
      return out;
    });
    return std::move(std::move(found).take().front());
  } else {
    return read();
  }
}

}  // namespace fltr::detail
