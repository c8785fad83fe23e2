#pragma once

#include <array>
#include <cstddef>
#include <memory>

namespace fltr::detail {

/// Eight doubles or sixteen floats on a 64-byte boundary.
template <class T>
struct alignas(64) CacheLine {
  static constexpr std::size_t size = 64 / sizeof(T);
  std::array<T, size> values;

  [[nodiscard]] T& operator[](std::size_t i) noexcept { return values[i]; }
  [[nodiscard]] T const& operator[](std::size_t i) const noexcept { return values[i]; }
  [[nodiscard]] T* data() noexcept { return values.data(); }
  [[nodiscard]] T const* data() const noexcept { return values.data(); }
};

/// `count` lines whose values the caller writes before it reads them.
template <class T>
[[nodiscard]] std::unique_ptr<CacheLine<T>[]> cache_lines(std::size_t count) {
  return std::make_unique_for_overwrite<CacheLine<T>[]>(count);
}

}  // namespace fltr::detail
