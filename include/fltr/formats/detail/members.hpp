#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

#include <fltr/core/compiler.hpp>

namespace fltr::detail {

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

inline constexpr std::size_t most_members = 12;

/// The number of members of an aggregate; most_members + 1 if it has more.
template <class T, std::size_t N = most_members + 1>
[[nodiscard]] constexpr std::size_t member_count() {
  if constexpr (N == 0)
    return 0;
  else if constexpr (takes_values<T>(std::make_index_sequence<N>()))
    return N;
  else
    return member_count<T, N - 1>();
}

/// An aggregate whose members `for_each_member` reaches: without base classes, with 1 to 12 members.
template <class T>
[[nodiscard]] constexpr bool has_reachable_members() {
  if constexpr (std::is_class_v<T> && std::is_aggregate_v<T> && !std::is_empty_v<T> && !HasBaseMember<T>)
    return member_count<T>() >= 1 && member_count<T>() <= most_members;
  else
    return false;
}

/// Calls use(member) for each member of an aggregate, in the order of their declaration.
template <class T, class Use>
void for_each_member(T const& t, Use const& use) {
  constexpr std::size_t count = member_count<T>();
  auto const each = [&use](auto const&... member) { (use(member), ...); };
  if constexpr (count == 1) {
    auto const& [a] = t;
    each(a);
  } else if constexpr (count == 2) {
    auto const& [a, b] = t;
    each(a, b);
  } else if constexpr (count == 3) {
    auto const& [a, b, c] = t;
    each(a, b, c);
  } else if constexpr (count == 4) {
    auto const& [a, b, c, d] = t;
    each(a, b, c, d);
  } else if constexpr (count == 5) {
    auto const& [a, b, c, d, e] = t;
    each(a, b, c, d, e);
  } else if constexpr (count == 6) {
    auto const& [a, b, c, d, e, f] = t;
    each(a, b, c, d, e, f);
  } else if constexpr (count == 7) {
    auto const& [a, b, c, d, e, f, g] = t;
    each(a, b, c, d, e, f, g);
  } else if constexpr (count == 8) {
    auto const& [a, b, c, d, e, f, g, h] = t;
    each(a, b, c, d, e, f, g, h);
  } else if constexpr (count == 9) {
    auto const& [a, b, c, d, e, f, g, h, i] = t;
    each(a, b, c, d, e, f, g, h, i);
  } else if constexpr (count == 10) {
    auto const& [a, b, c, d, e, f, g, h, i, j] = t;
    each(a, b, c, d, e, f, g, h, i, j);
  } else if constexpr (count == 11) {
    auto const& [a, b, c, d, e, f, g, h, i, j, k] = t;
    each(a, b, c, d, e, f, g, h, i, j, k);
  } else if constexpr (count == 12) {
    auto const& [a, b, c, d, e, f, g, h, i, j, k, l] = t;
    each(a, b, c, d, e, f, g, h, i, j, k, l);
  }
}

}  // namespace fltr::detail
