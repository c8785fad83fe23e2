#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>

#include <fltr/core/aligned_floats.hpp>

namespace fltr::benchmarks {

/// `size` floats, in pages of 2 MB if the system gives them. Streaming a matrix in small pages takes up to 1.3 times as
/// long, and how long depends on what else runs: both sides of a comparison read matrices in huge pages.
inline AlignedFloats huge_page_floats(std::size_t size) {
  constexpr std::size_t page = std::size_t{1} << 21U;
  std::size_t const bytes = (size * sizeof(float) + page - 1) / page * page;
  auto* const memory = static_cast<float*>(std::aligned_alloc(page, bytes));
  if (memory == nullptr) throw std::bad_alloc{};
  madvise(memory, bytes, MADV_HUGEPAGE);  // without huge pages in the system the benchmark still runs
  return {std::shared_ptr<float>(memory, [](float* p) { std::free(p); }), size};
}

}  // namespace fltr::benchmarks
