#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <typeinfo>
#include <utility>
#include <vector>

#include <fltr/core/content_hash.hpp>
#include <fltr/core/fields.hpp>
#include <fltr/core/keyed_hash.hpp>
#include <fltr/core/members.hpp>
#include <fltr/core/wipe.hpp>

namespace fltr {

/// A hash of values of any type, to recognise other policies, other options, other data or another message. The order of
/// the calls counts.
///
/// | value                                                  | what counts                                        |
/// | ------------------------------------------------------ | -------------------------------------------------- |
/// | number, enumeration, string                            | its bytes                                          |
/// | std::vector, array, map, span, optional, pair, variant | its elements                                       |
/// | type with `members(visit) const` or `fields(visit)`    | its type and what it passes to `visit`; inherited  |
/// |                                                        | ones count only as for HasFields                   |
/// | aggregate of at most 12 members, without base class    | its type and its members                           |
/// | type without data members                              | its type                                           |
/// | others: pointers, private members, base classes, other | cannot be seen: `sees` is false, and `add` does    |
/// | containers, long double                                | not compile                                        |
///
/// A class with private members or base classes shows what it consists of by
///
///     auto members(auto&& visit) const { return visit(static_cast<Base const&>(*this), own_); }
///
/// A type with `static constexpr bool fingerprint_once = true` is hashed once for each address, because many clients refer
/// to one Dataset. Objects of such a type must live as long as the Fingerprint.
///
/// Different values with the same Fingerprint can be constructed on purpose. With a key that nobody knows who chooses the
/// values, they cannot: see KeyedHash.
class Fingerprint {
 public:
  Fingerprint() = default;
  /// The key must outlive the Fingerprint.
  explicit Fingerprint(HashKey const& key) : keyed_(key) {}

  /// Whether no part of a T is hidden.
  template <class T>
  [[nodiscard]] static constexpr bool sees();

  template <class T>
  Fingerprint& add(T const& value) {
    static_assert(
        sees<T>(),
        "fltr: Fingerprint cannot see what this type consists of: required an aggregate of at most 12 members "
        "without pointers, or a type with 'auto members(auto&& visit) const { return visit(a, b); }'");
    if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T>) {
      bytes(std::as_bytes(std::span(&value, 1)));
    } else if constexpr (is_text<T>) {
      std::string_view const text(value);
      add(text.size());
      bytes(std::as_bytes(std::span(text)));
    } else if constexpr (ShowsMembers<T>) {
      if constexpr (HashedOnce<T>)
        keyed_ ? add_members(value) : add_once(value);
      else
        add_members(value);
    } else if constexpr (ShowsFields<T>) {
      type<T>();
      // fields() is not const, because the same function also reads. This visitor does not change the value.
      const_cast<T&>(value).fields([this](auto const&... member) { (this->add(member), ...); });
    } else if constexpr (IsVariant<T>) {
      add(value.index());
      if (!value.valueless_by_exception()) visit([this](auto const& held) { this->add(held); }, value);
    } else if constexpr (detail::is_optional<T>) {
      add(value.has_value());
      if (value) add(*value);
    } else if constexpr (detail::is_pair<T>) {
      add(value.first);
      add(value.second);
    } else if constexpr (IsRange<T>) {
      add(static_cast<std::uint64_t>(value.size()));
      if constexpr (detail::ArithmeticBlock<T>)
        bytes(std::as_bytes(std::span(value.data(), value.size())));
      else
        for (typename T::value_type const& element : value) add(element);
    } else if constexpr (sees<T>()) {
      type<T>();
      if constexpr (!std::is_empty_v<T>)
        visit_members(value, [this](auto const&... member) { (this->add(member), ...); });
    }
    return *this;
  }
  template <class T, std::size_t N>
  Fingerprint& add(std::span<T, N> values) {
    add(static_cast<std::uint64_t>(values.size()));
    if constexpr (std::is_arithmetic_v<std::remove_const_t<T>>)
      bytes(std::as_bytes(values));
    else
      for (auto const& value : values) add(value);
    return *this;
  }

  /// Overwrites what was added, if it is secret.
  void wipe() noexcept {
    fltr::wipe(buffer_);
    fltr::wipe(keyed_);
    filled_ = 0;
  }

  [[nodiscard]] ContentHash value() const noexcept {
    auto const rest = std::span(buffer_).first(filled_);
    return keyed_ ? keyed_->value(rest) : content_hash(rest, filled_);
  }

 private:
  template <class T>
  static constexpr bool is_text = std::same_as<T, std::string> || std::same_as<T, std::string_view> ||
                                  std::same_as<std::decay_t<T>, char const*> || std::same_as<std::decay_t<T>, char*>;
  template <class T>
  static constexpr bool always_seen =
      (std::is_arithmetic_v<T> && !std::same_as<T, long double>) || std::is_enum_v<T> || is_text<T>;
  template <class T>
  static constexpr bool HashedOnce = requires { requires T::fingerprint_once; };

  /// The visitor of `sees`.
  struct All {
    template <class... T>
    constexpr std::bool_constant<(sees<T>() && ...)> operator()(T const&...) const {
      return {};
    }
  };
  /// The visitor that finds whether a type names `members` or `fields` at all.
  struct Any {
    template <class... T>
    constexpr std::true_type operator()(T const&...) const {
      return {};
    }
  };
  template <class T>
  static constexpr bool ShowsMembers = requires(T const& t) {
    { t.members(Any{}) } -> std::same_as<std::true_type>;
    requires decltype(detail::lists_all<T>(&T::template members<Any>))::value;
  };
  template <class T>
  static constexpr bool ShowsFields = HasFields<T> && requires {
    requires decltype(detail::lists_all<T>(&T::template fields<detail::FieldCheck>))::value;
  };
  template <class T>
  static constexpr bool IsVariant = requires(T const& t) {
    t.index();
    t.valueless_by_exception();
  };
  template <class T>
  struct Container : std::false_type {};
  template <class T, class A>
  struct Container<std::vector<T, A>> : std::true_type {};
  template <class T, std::size_t N>
  struct Container<std::array<T, N>> : std::true_type {};
  template <class K, class V, class C, class A>
  struct Container<std::map<K, V, C, A>> : std::true_type {};
  template <class T, std::size_t N>
  struct Container<std::span<T, N>> : std::true_type {};
  template <class T>
  static constexpr bool IsRange = Container<T>::value;
  template <class T>
  struct SeesVariant : std::false_type {};
  template <template <class...> class V, class... T>
  struct SeesVariant<V<T...>> : std::bool_constant<(sees<T>() && ...)> {};

  /// Values of up to this size are joined before they are hashed.
  static constexpr std::size_t joined = 512;
  static_assert(joined == KeyedHash::block_size);

  void bytes(std::span<std::byte const> some) noexcept {
    if (some.size() > joined || filled_ > joined - some.size())
      return keyed_ ? keyed_bytes(some) : bytes_after_hash(some);
    if (some.empty()) return;
    std::memcpy(buffer_.data() + filled_, some.data(), some.size());
    filled_ += some.size();
  }
  /// For more bytes than the buffer has room for: it then begins with the hash of what was in it.
  [[gnu::noinline]] void bytes_after_hash(std::span<std::byte const> some) noexcept {
    ContentHash const before = value();
    filled_ = 0;
    append(before);
    if (some.size() > joined - filled_)
      append(content_hash(some));
    else
      bytes(some);
  }
  /// The same with a key: the buffer is a block of the KeyedHash.
  void keyed_bytes(std::span<std::byte const> some) noexcept {
    std::size_t const room = joined - filled_;
    if (room > 0) std::memcpy(buffer_.data() + filled_, some.data(), room);
    keyed_->add(buffer_);
    for (some = some.subspan(room); some.size() > joined; some = some.subspan(joined))
      keyed_->add(some.first<joined>());
    std::memcpy(buffer_.data(), some.data(), some.size());
    filled_ = some.size();
  }
  void append(ContentHash const& hash) noexcept {
    std::array<std::uint64_t, 2> const words{hash.low, hash.high};
    bytes(std::as_bytes(std::span(words)));
  }
  template <class T>
  void type() {
    add(std::string_view(typeid(T).name()));
  }
  template <class T>
  void add_members(T const& value) {
    type<T>();
    value.members([this](auto const&... member) { (this->add(member), ...); });
  }
  template <class T>
  void add_once(T const& value) {
    for (auto const& [address, type, hash] : once_)
      if (address == static_cast<void const*>(&value) && *type == typeid(T)) return append(hash);
    Fingerprint own;
    own.add_members(value);
    once_.push_back({&value, &typeid(T), own.value()});
    append(own.value());
  }

  std::array<std::byte, joined> buffer_{};
  std::size_t filled_ = 0;
  std::optional<KeyedHash> keyed_;
  struct Once {
    void const* address;
    std::type_info const* type;
    ContentHash hash;
  };
  std::vector<Once> once_;
};

template <class T>
constexpr bool Fingerprint::sees() {
  if constexpr (always_seen<T>)
    return true;
  else if constexpr (ShowsMembers<T>)
    return decltype(std::declval<T const&>().members(All{}))::value;
  else if constexpr (ShowsFields<T>)
    return true;
  else if constexpr (IsVariant<T>)
    return SeesVariant<T>::value;
  else if constexpr (detail::is_optional<T>)
    return sees<typename T::value_type>();
  else if constexpr (detail::is_pair<T>)
    return sees<typename T::first_type>() && sees<typename T::second_type>();
  else if constexpr (IsRange<T>)
    return sees<typename T::value_type>();
  else if constexpr (std::is_empty_v<T>)
    return true;
  else if constexpr (has_reachable_members<T>())
    return decltype(visit_members(std::declval<T const&>(), All{}))::value;
  else
    return false;
}

}  // namespace fltr
