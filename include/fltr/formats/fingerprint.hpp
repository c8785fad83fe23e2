#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <ranges>
#include <span>
#include <string_view>
#include <type_traits>
#include <typeinfo>
#include <variant>
#include <vector>

#include <fltr/core/fields.hpp>
#include <fltr/data/dataset.hpp>
#include <fltr/formats/content_hash.hpp>
#include <fltr/formats/detail/members.hpp>

namespace fltr {

namespace detail {

template <class T>
inline constexpr bool is_variant = false;
template <class... T>
inline constexpr bool is_variant<std::variant<T...>> = true;

}  // namespace detail

/// A hash of values of any type, to recognise other policies, other options or other data. The order of the calls
/// counts. Values that differ give different hashes, except for what cannot be seen:
///
/// | value                                                 | what counts                                        |
/// | ----------------------------------------------------- | -------------------------------------------------- |
/// | number, enumeration, string, type with `fields`       | its bytes                                          |
/// | Dataset                                               | features, grades, queries and their identifiers    |
/// | container, std::variant                               | its elements                                       |
/// | aggregate of at most 12 members, without base class   | its type and its members                           |
/// | other types: pointers, private members, base classes  | the type only: add what matters by `add`           |
class Fingerprint {
 public:
  template <class T>
  Fingerprint& add(T const& value) {
    if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T>) {
      bytes(std::as_bytes(std::span(&value, 1)));
    } else if constexpr (std::convertible_to<T const&, std::string_view>) {
      std::string_view const text(value);
      add(text.size());
      bytes(std::as_bytes(std::span(text)));
    } else if constexpr (std::same_as<T, Dataset>) {
      dataset(value);
    } else if constexpr (HasFields<T>) {
      type<T>();
      bytes(field_bytes(value));
    } else if constexpr (std::is_pointer_v<T> || std::is_member_pointer_v<T>) {
      type<T>();
    } else if constexpr (detail::is_variant<T>) {
      add(value.index());
      if (!value.valueless_by_exception()) std::visit([this](auto const& held) { this->add(held); }, value);
    } else if constexpr (std::ranges::sized_range<T const> && std::ranges::forward_range<T const>) {
      add(static_cast<std::uint64_t>(std::ranges::size(value)));
      for (auto const& element : value) add(element);
    } else if constexpr (Field<T>) {  // optional, pair
      bytes(field_bytes(value));
    } else {
      type<T>();
      if constexpr (detail::has_reachable_members<T>())
        detail::for_each_member(value, [this](auto const& member) { this->add(member); });
    }
    return *this;
  }

  [[nodiscard]] ContentHash value() const noexcept { return hash_; }

 private:
  void bytes(std::span<std::byte const> some) noexcept {
    // The hash so far and the hash of the new bytes together give the next hash.
    ContentHash const next = content_hash(some);
    std::array<std::uint64_t, 5> const both{hash_.low, hash_.high, next.low, next.high, some.size()};
    hash_ = content_hash(std::as_bytes(std::span(both)));
  }
  template <class T>
  void type() {
    add(std::string_view(typeid(T).name()));
  }
  void dataset(Dataset const& data) {
    auto const& parts = data.parts();
    add(static_cast<std::uint64_t>(parts.feature_count));
    bytes(std::as_bytes(parts.features.span()));
    bytes(std::as_bytes(std::span(parts.grades)));
    bytes(std::as_bytes(std::span(parts.query_offsets)));
    bytes(field_bytes(parts.qids));
    bytes(field_bytes(parts.docids));
  }

  ContentHash hash_{};
};

}  // namespace fltr
