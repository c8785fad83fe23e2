#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

#include <fltr/core/compiler.hpp>

namespace fltr {

/// The members of an aggregate, found by the compiler: see `has_reachable_members` and `visit_members`.
namespace members {

/// Stands for a value of any type, in unevaluated expressions only.
struct AnyValue {
  template <class T>
  operator T() const;  // NOLINT(google-explicit-constructor)
};

/// Stands for a base class of T, in unevaluated expressions only.
template <class T>
struct AnyBaseOf {
  template <class B>
  requires(std::is_base_of_v<B, T> && !std::is_same_v<B, T>)
  operator B() const;  // NOLINT(google-explicit-constructor)
};

template <class T>
concept HasBaseMember = requires { T{AnyBaseOf<T>{}}; };

template <class T, std::size_t... I>
[[nodiscard]] constexpr bool takes_values(std::index_sequence<I...>) {
  return requires { T{(static_cast<void>(I), AnyValue{})...}; };
}

inline constexpr std::size_t most = 12;

/// The number of members of an aggregate; most + 1 if it has more.
template <class T, std::size_t N = most + 1>
[[nodiscard]] constexpr std::size_t count() {
  if constexpr (N == 0)
    return 0;
  else if constexpr (takes_values<T>(std::make_index_sequence<N>()))
    return N;
  else
    return count<T, N - 1>();
}

}  // namespace members

/// An aggregate whose members `visit_members` reaches: without base classes, with 1 to 12 members.
template <class T>
[[nodiscard]] constexpr bool has_reachable_members() {
  if constexpr (std::is_class_v<T> && std::is_aggregate_v<T> && !std::is_empty_v<T> && !members::HasBaseMember<T>)
    return members::count<T>() >= 1 && members::count<T>() <= members::most;
  else
    return false;
}

/// visit(members...) with all members of an aggregate, in the order of their declaration.
template <class T, class Visit>
constexpr decltype(auto) visit_members(T const& t, Visit const& visit) {
  constexpr std::size_t count = members::count<T>();
  if constexpr (count == 1) {
    auto const& [a] = t;
    return visit(a);
  } else if constexpr (count == 2) {
    auto const& [a, b] = t;
    return visit(a, b);
  } else if constexpr (count == 3) {
    auto const& [a, b, c] = t;
    return visit(a, b, c);
  } else if constexpr (count == 4) {
    auto const& [a, b, c, d] = t;
    return visit(a, b, c, d);
  } else if constexpr (count == 5) {
    auto const& [a, b, c, d, e] = t;
    return visit(a, b, c, d, e);
  } else if constexpr (count == 6) {
    auto const& [a, b, c, d, e, f] = t;
    return visit(a, b, c, d, e, f);
  } else if constexpr (count == 7) {
    auto const& [a, b, c, d, e, f, g] = t;
    return visit(a, b, c, d, e, f, g);
  } else if constexpr (count == 8) {
    auto const& [a, b, c, d, e, f, g, h] = t;
    return visit(a, b, c, d, e, f, g, h);
  } else if constexpr (count == 9) {
    auto const& [a, b, c, d, e, f, g, h, i] = t;
    return visit(a, b, c, d, e, f, g, h, i);
  } else if constexpr (count == 10) {
    auto const& [a, b, c, d, e, f, g, h, i, j] = t;
    return visit(a, b, c, d, e, f, g, h, i, j);
  } else if constexpr (count == 11) {
    auto const& [a, b, c, d, e, f, g, h, i, j, k] = t;
    return visit(a, b, c, d, e, f, g, h, i, j, k);
  } else {
    static_assert(count == 12, "fltr: visit_members reaches 1 to 12 members");
    auto const& [a, b, c, d, e, f, g, h, i, j, k, l] = t;
    return visit(a, b, c, d, e, f, g, h, i, j, k, l);
  }
}

}  // namespace fltr
