#pragma once

#include <cstddef>

#include <fltr/core/compiler.hpp>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace fltr::detail {

/// The size of a huge page of x86-64 in bytes.
inline constexpr std::size_t huge_page = std::size_t{1} << 21U;

/// Asks the system to put the memory into huge pages, which need fewer entries in the processor's table of addresses.
/// `begin` must be on the boundary of a huge page. Does nothing if the system has no huge pages: they change only the
/// speed.
inline void use_huge_pages([[maybe_unused]] void* begin, [[maybe_unused]] std::size_t bytes) noexcept {
#if defined(__linux__) && defined(MADV_HUGEPAGE)
  (void)::madvise(begin, bytes / huge_page * huge_page, MADV_HUGEPAGE);
#endif
}

}  // namespace fltr::detail
