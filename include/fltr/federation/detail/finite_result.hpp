#pragma once

#include <cmath>
#include <concepts>
#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include <fltr/concepts/ranker.hpp>
#include <fltr/core/error.hpp>
#include <fltr/core/fields.hpp>
#include <fltr/core/number_text.hpp>

namespace fltr::detail {

/// A number that is not finite, and its place in the block of numbers that has it (a number alone: place 0 of 1).
struct NotFinite {
  double value = 0.0;
  std::size_t place = 0;
  std::size_t count = 1;
};

/// The first number of a block that is not finite.
template <class Numbers>
[[nodiscard]] std::optional<NotFinite> not_finite_number(Numbers const& numbers) {
  for (std::size_t i = 0; i < numbers.size(); ++i)
    if (!std::isfinite(numbers[i])) [[unlikely]]
      return NotFinite{static_cast<double>(numbers[i]), i, numbers.size()};
  return std::nullopt;
}

/// The first number in a Field that is not finite. A Forest has none: it is validated on construction.
template <class T>
[[nodiscard]] std::optional<NotFinite> not_finite_field(T const& value) {
  std::optional<NotFinite> found;
  auto const look = [&](auto const& part) {
    if (!found) found = not_finite_field(part);
  };
  if constexpr (std::floating_point<T>) {
    if (!std::isfinite(value)) found = NotFinite{static_cast<double>(value)};
  } else if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T> || requires { value.score_bound(); }) {
    return std::nullopt;
  } else if constexpr (HasFields<T>) {
    const_cast<T&>(value).fields([&](auto const&... member) {  // not const, because the same function also reads
      (look(member), ...);
      return FieldCheckResult<true>{};
    });
  } else if constexpr (is_optional<T>) {
    if (value) look(*value);
  } else if constexpr (is_pair<T>) {
    look(value.first);
    look(value.second);
  } else if constexpr (is_array<T> || !std::is_arithmetic_v<typename T::value_type>) {
    for (auto const& element : value) look(element);
  } else if constexpr (std::floating_point<typename T::value_type>) {
    found = not_finite_number(value);
  }
  return found;
}

/// The first number of a ranker that is not finite. The score bound of a Forest counts as a number of it: sums of its
/// leaves must be floats. A ranker without parameters and fields is not looked into.
template <Ranker R>
[[nodiscard]] std::optional<NotFinite> not_finite_in(R const& ranker) {
  if constexpr (ParametricRanker<R>) {
    return not_finite_number(ranker.parameters());
  } else if constexpr (requires { ranker.score_bound(); }) {
    double const bound = ranker.score_bound();
    if (bound <= static_cast<double>(std::numeric_limits<float>::max())) return std::nullopt;
    return NotFinite{bound};
  } else if constexpr (HasFields<R>) {
    return not_finite_field(ranker);
  } else {
    return std::nullopt;
  }
}

/// Throws NotFiniteError("<who>: required finite <what>, got ...") if there is such a number.
inline void require_none(std::optional<NotFinite> const& found, std::string_view who, std::string_view what) {
  if (!found) [[likely]]
    return;
  std::string text = std::string(who).append(": required finite ").append(what).append(", got ");
  text.append(number_text(found->value));
  if (found->count > 1)
    text.append(" at place " + std::to_string(found->place) + " of " + std::to_string(found->count));
  throw NotFiniteError(text + "; the round has no effect");
}

/// Throws NotFiniteError if the result of `aggregate` is not finite.
template <Ranker R, Field ServerState>
void require_finite_result(std::string_view who, R const& ranker, ServerState const& state) {
  require_none(not_finite_in(ranker), who, ParametricRanker<R> ? "parameters of the ranker" : "scores of the ranker");
  require_none(not_finite_field(state), who, "numbers in the Aggregator's State");
}

}  // namespace fltr::detail
