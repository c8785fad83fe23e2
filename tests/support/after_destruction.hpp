#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <memory>
#include <new>
#include <span>
#include <vector>

namespace fltr::testing {

/// The compiler must assume that the memory at `at` is read and changed here.
inline void touched(void const* at) noexcept { asm volatile("" : : "r"(at) : "memory"); }

/// The bytes that the memory of an object has after the object was destroyed. `make()` makes the object, and
/// `use(object)` works with it before it is destroyed.
template <class Make, class Use>
[[nodiscard]] std::vector<std::byte> bytes_after_destruction(Make const& make, Use const& use) {
  using T = decltype(make());
  struct Storage {
    alignas(T) std::array<std::byte, sizeof(T)> bytes;
  };
  auto const storage = std::make_unique<Storage>();
  T* const object = ::new (static_cast<void*>(storage->bytes.data())) T(make());
  touched(object);
  use(*object);
  touched(object);
  std::destroy_at(object);
  touched(storage.get());
  return {storage->bytes.begin(), storage->bytes.end()};
}

/// Whether the bytes of `secret` are anywhere in `memory`.
template <class Secret>
[[nodiscard]] bool contains(std::span<std::byte const> memory, Secret const& secret) {
  auto const bytes = std::as_bytes(std::span(&secret, 1));
  return std::search(memory.begin(), memory.end(), bytes.begin(), bytes.end()) != memory.end();
}

}  // namespace fltr::testing
