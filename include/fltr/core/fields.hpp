#pragma once

#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <fltr/core/compiler.hpp>
#include <fltr/core/error.hpp>
#include <fltr/core/number_text.hpp>

namespace fltr {

static_assert(std::endian::native == std::endian::little, "fltr: files and messages are little-endian");

namespace detail {

template <class T>
struct is_field;

/// The result of `fields` for FieldCheck: whether every member can be written and read.
template <bool Complete>
struct FieldCheckResult {};

/// HasFields calls `fields` with this visitor to check the member types.
struct FieldCheck {
  template <class... T>
  constexpr FieldCheckResult<(is_field<T>::value && ...)> operator()(T&...) const {
    return {};
  }
};

/// A class with one byte more than B. It is not larger if a derived class may store members in the padding at the end of B.
template <class B>
struct OneByteMore : B {
  std::byte one_more;
};

/// Whether T is known to have no data besides that of Owner, which is T itself or a base class. That both have the same
/// size is no proof: the data may be in the padding at the end of Owner.
template <class T, class Owner>
[[nodiscard]] consteval bool adds_no_data() {
  if constexpr (std::same_as<T, Owner> || std::is_empty_v<T>)
    return true;
  else
    return sizeof(T) == sizeof(Owner) && sizeof(OneByteMore<Owner>) > sizeof(Owner);
}

/// For a pointer to a member function of T: whether the class that it belongs to has all data of T.
template <class T, class Owner, class R, class A>
std::bool_constant<adds_no_data<T, Owner>()> lists_all(R (Owner::*)(A));
template <class T, class Owner, class R, class A>
std::bool_constant<adds_no_data<T, Owner>()> lists_all(R (Owner::*)(A) const);

/// The function `fields` is inherited from a base class, and T may have more data.
template <class T>
concept InheritsFieldsOfAPart = requires { requires !decltype(lists_all<T>(&T::template fields<FieldCheck>))::value; };

}  // namespace detail

/// A type that lists its members for files, messages, checkpoints and hashes:
///
///     auto fields(auto&& visit) { return visit(first, second); }
///
/// Each member is a Field. The function returns the result of the visitor, by which this concept checks the members. A
/// type with a member that cannot be written does not satisfy it. A `fields` that returns void or is const does not
/// satisfy it either, because the same function also reads.
///
/// An inherited `fields` counts only if the type is known to add no data: it has the size of the base class, and the base
/// class has no padding at its end that a derived class may use. Otherwise a type that adds nothing says so:
///
///     auto fields(auto&& visit) { return LocalWeights::fields(visit); }
template <class T>
concept HasFields = requires(T& t) {
  { t.fields(detail::FieldCheck{}) } -> std::same_as<detail::FieldCheckResult<true>>;
} && !detail::InheritsFieldsOfAPart<T>;

namespace detail {

/// A container of numbers in contiguous memory.
template <class T>
concept ArithmeticBlock = requires(T& t) {
  t.resize(std::size_t{});
  { t.data() } -> std::convertible_to<typename T::value_type*>;
} && std::is_arithmetic_v<typename T::value_type> && !std::same_as<typename T::value_type, bool>;

/// A container that grows at its end.
template <class T>
concept FieldSequence = requires(T& t, T const& c) {
  t.clear();
  t.emplace_back();
  c.begin();
  { c.size() } -> std::convertible_to<std::size_t>;
} && is_field<typename T::value_type>::value;

template <class T>
struct is_field : std::bool_constant<std::is_arithmetic_v<T> || std::is_enum_v<T> || HasFields<T> ||
                                     ArithmeticBlock<T> || FieldSequence<T>> {};
template <class T>
struct is_field<T const> : std::false_type {};
template <class T, std::size_t N>
struct is_field<std::array<T, N>> : is_field<T> {};
template <class T>
struct is_field<std::optional<T>> : std::bool_constant<is_field<T>::value && std::default_initializable<T>> {};
template <class A, class B>
struct is_field<std::pair<A, B>> : std::bool_constant<is_field<A>::value && is_field<B>::value> {};
template <class K, class V>
struct is_field<std::map<K, V>> : is_field<std::pair<K, V>> {};

template <class T>
inline constexpr bool is_array = false;
template <class T, std::size_t N>
inline constexpr bool is_array<std::array<T, N>> = true;
template <class T>
inline constexpr bool is_optional = false;
template <class T>
inline constexpr bool is_optional<std::optional<T>> = true;
template <class T>
inline constexpr bool is_pair = false;
template <class A, class B>
inline constexpr bool is_pair<std::pair<A, B>> = true;
template <class T>
inline constexpr bool is_map = false;
template <class K, class V>
inline constexpr bool is_map<std::map<K, V>> = true;

}  // namespace detail

/// A type that FieldWriter and FieldReader accept: a number, an enumeration, a string, a vector, array, optional, pair
/// or ordered map of Fields, or a type that HasFields. Pointers and references are not Fields.
template <class T>
concept Field = detail::is_field<T>::value;

/// Turns a Field into bytes.
class FieldWriter {
 public:
  template <class T>
  void write(T const& value) {
    static_assert(Field<T>,
                  "fltr: this type cannot be written: required a number, an enumeration, a string, a vector, array, "
                  "optional, pair or map of these, or a type with its own 'auto fields(auto&& visit) { return "
                  "visit(members...); }'");
    if constexpr (std::is_arithmetic_v<T>) {
      append(&value, sizeof value);
    } else if constexpr (std::is_enum_v<T>) {
      write(static_cast<std::underlying_type_t<T>>(value));
    } else if constexpr (HasFields<T>) {
      // fields() is not const, because the same function also reads. Writing does not change the value.
      const_cast<T&>(value).fields([this](auto const&... member) { (this->write(member), ...); });
    } else if constexpr (detail::is_array<T>) {
      for (auto const& element : value) write(element);
    } else if constexpr (detail::is_optional<T>) {
      write(value.has_value());
      if (value) write(*value);
    } else if constexpr (detail::is_pair<T>) {
      write(value.first);
      write(value.second);
    } else if constexpr (detail::is_map<T>) {
      write(static_cast<std::uint64_t>(value.size()));
      for (auto const& [key, mapped] : value) {
        write(key);
        write(mapped);
      }
    } else if constexpr (Field<T>) {
      write(static_cast<std::uint64_t>(value.size()));
      if constexpr (detail::ArithmeticBlock<T>)
        append(value.data(), value.size() * sizeof(typename T::value_type));
      else
        for (typename T::value_type const& element : value) write(element);
    }
  }

  [[nodiscard]] std::vector<std::byte> const& bytes() const& noexcept { return bytes_; }
  [[nodiscard]] std::vector<std::byte> bytes() && noexcept { return std::move(bytes_); }

 private:
  void append(void const* from, std::size_t size) {
    auto const* begin = static_cast<std::byte const*>(from);
    bytes_.insert(bytes_.end(), begin, begin + size);
  }
  std::vector<std::byte> bytes_;
};

/// Reads Fields from the bytes of a FieldWriter. The bytes are not trusted: a length that exceeds the remaining bytes
/// throws FormatError before memory is allocated.
class FieldReader {
 public:
  /// The bytes must outlive the reader.
  explicit FieldReader(std::span<std::byte const> bytes) : rest_(bytes) {}
  template <std::same_as<std::vector<std::byte>> Bytes>
  FLTR_UNAVAILABLE("FieldReader refers to its bytes, so they must not be a temporary: give them a name")
  explicit FieldReader(Bytes&&);

  template <class T>
  void read(T& value) {
    static_assert(Field<T>, "fltr: this type cannot be read (see Field)");
    if constexpr (std::same_as<T, bool>) {
      std::uint8_t byte = 0;
      read(byte);
      if (byte > 1) throw FormatError("required a truth value of 0 or 1, got " + number_text(unsigned{byte}));
      value = byte == 1;
    } else if constexpr (std::is_arithmetic_v<T>) {
      take(&value, sizeof value);
    } else if constexpr (std::is_enum_v<T>) {
      std::underlying_type_t<T> number{};
      read(number);
      value = static_cast<T>(number);
    } else if constexpr (HasFields<T>) {
      value.fields([this](auto&... member) { (this->read(member), ...); });
    } else if constexpr (detail::is_array<T>) {
      for (auto& element : value) read(element);
    } else if constexpr (detail::is_optional<T>) {
      bool present = false;
      read(present);
      if (present) {
        typename T::value_type inner{};
        read(inner);
        value = std::move(inner);
      } else {
        value.reset();
      }
    } else if constexpr (detail::is_pair<T>) {
      read(value.first);
      read(value.second);
    } else if constexpr (detail::is_map<T>) {
      value.clear();
      for (std::uint64_t left = count(); left > 0; --left) {
        typename T::key_type key{};
        read(key);
        if (!value.empty() && !(value.rbegin()->first < key))
          throw FormatError("required the keys of a map in ascending order");
        read(value[std::move(key)]);
      }
    } else if constexpr (detail::ArithmeticBlock<T>) {
      std::uint64_t size = 0;
      read(size);
      refuse_unless(size <= rest_.size() / sizeof(typename T::value_type));
      value.resize(static_cast<std::size_t>(size));
      take(value.data(), value.size() * sizeof(typename T::value_type));
    } else if constexpr (Field<T>) {
      value.clear();
      for (std::uint64_t left = count(); left > 0; --left) {
        if constexpr (std::same_as<typename T::value_type, bool>) {
          bool element = false;
          read(element);
          value.push_back(element);
        } else {
          read(value.emplace_back());
        }
      }
    }
  }

  /// The bytes that were not read yet.
  [[nodiscard]] std::span<std::byte const> rest() const noexcept { return rest_; }
  /// Throws FormatError unless all bytes were read.
  void expect_end() const {
    if (!rest_.empty())
      throw FormatError("required the end of the bytes, got " + std::to_string(rest_.size()) + " more");
  }

 private:
  /// Reads the number of elements of a container. An element takes at least one byte.
  [[nodiscard]] std::uint64_t count() {
    std::uint64_t size = 0;
    read(size);
    refuse_unless(size <= rest_.size());
    return size;
  }
  static void refuse_unless(bool fits) {
    if (!fits) throw FormatError("the bytes end in the middle of a value");
  }
  void take(void* to, std::size_t size) {
    refuse_unless(size <= rest_.size());
    if (size > 0) std::memcpy(to, rest_.data(), size);
    rest_ = rest_.subspan(size);
  }
  std::span<std::byte const> rest_;
};

/// The bytes of one Field.
template <class T>
[[nodiscard]] std::vector<std::byte> field_bytes(T const& value) {
  FieldWriter writer;
  writer.write(value);
  return std::move(writer).bytes();
}

}  // namespace fltr
