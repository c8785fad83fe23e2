#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <new>
#include <type_traits>

#include <fltr/core/compiler.hpp>

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

/// An array of lines whose values the caller writes before it reads them. The memory is that of a plain `new`: glibc
/// returns large aligned memory to the system at once, and then every round pays for its page faults.
template <class T>
class CacheLines {
 public:
  explicit CacheLines(std::size_t count) {
    static_assert(std::is_trivial_v<CacheLine<T>>);
    std::size_t space = (count + 1) * sizeof(CacheLine<T>);
    bytes_ = std::make_unique_for_overwrite<std::byte[]>(space);
    void* first = bytes_.get();
    lines_ = std::launder(
        static_cast<CacheLine<T>*>(std::align(alignof(CacheLine<T>), count * sizeof(CacheLine<T>), first, space)));
  }

  [[nodiscard]] CacheLine<T>* get() const noexcept { return lines_; }
  [[nodiscard]] CacheLine<T>& operator[](std::size_t i) const noexcept { return lines_[i]; }

 private:
  std::unique_ptr<std::byte[]> bytes_;
  CacheLine<T>* lines_;
};

}  // namespace fltr::detail
