#pragma once

#include <cstddef>
#include <cstring>
#include <type_traits>
#include <utility>
#include <vector>

#include <fltr/core/compiler.hpp>

namespace fltr {

/// Overwrites a secret. The compiler does not remove it. Copies that the compiler made in registers, and spilled from
/// there to the stack, are not reached.
template <class T>
requires std::is_trivially_copyable_v<T>
constexpr void wipe(T& secret) noexcept {
  if (!std::is_constant_evaluated()) ::explicit_bzero(static_cast<void*>(&secret), sizeof secret);
}
template <class T>
requires std::is_trivially_copyable_v<T>
void wipe(std::vector<T>& secrets) noexcept {
  if (!secrets.empty()) ::explicit_bzero(static_cast<void*>(secrets.data()), secrets.size() * sizeof(T));
  secrets.clear();
}

/// A secret that is overwritten in the end.
template <class T>
struct Wiped {
  T value{};

  Wiped() = default;
  Wiped(Wiped const&) = default;
  Wiped& operator=(Wiped const&) = default;
  ~Wiped() { wipe(value); }
};

/// A vector of secrets that is overwritten before its memory is returned. Do not let `items` grow: it would leave a copy
/// in the memory that it had before.
template <class T>
struct WipedVector {
  std::vector<T> items;

  WipedVector() = default;
  explicit WipedVector(std::vector<T> secrets) noexcept : items(std::move(secrets)) {}
  WipedVector(WipedVector const&) = default;
  WipedVector(WipedVector&&) noexcept = default;
  WipedVector& operator=(WipedVector const& other) {
    if (this == &other) return *this;
    wipe(items);
    items = other.items;
    return *this;
  }
  WipedVector& operator=(WipedVector&& other) noexcept {
    if (this == &other) return *this;
    wipe(items);
    items = std::move(other.items);
    return *this;
  }
  ~WipedVector() { wipe(items); }
  auto fields(auto&& visit) { return visit(items); }
};

}  // namespace fltr
