#pragma once

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include <fltr/core/error.hpp>

namespace fltr {

static_assert(std::endian::native == std::endian::little, "fltr: files and messages are little-endian");

/// A visitor that does nothing (a lambda in a concept is an error in g++ 12).
struct AnyVisitor {
  template <class... T>
  void operator()(T&...) const {}
};

/// A type that shows its members: `t.fields(visitor)` calls `visitor(member, …)`, members being arithmetic, containers
/// of such, or types with fields of their own. One hook for files, wire bytes, checkpoints and hashes.
template <class T>
concept HasFields = requires(T& t) {
  t.fields(AnyVisitor{});
};

template <class T>
concept ArithmeticBlock = requires(T& t) {
  t.resize(std::size_t{});
  { t.data() } -> std::convertible_to<typename T::value_type*>;
}
&&std::is_arithmetic_v<typename T::value_type> && !std::same_as<typename T::value_type, bool>;

/// Turns a value with fields into bytes.
class FieldWriter {
 public:
  template <class T>
  void write(T const& value) {
    if constexpr (std::is_arithmetic_v<T>) {
      append(&value, sizeof value);
    } else if constexpr (HasFields<T>) {
      // fields() is not const, since the same function also reads; writing changes nothing.
      const_cast<T&>(value).fields([this](auto const&... member) { (this->write(member), ...); });
    } else {
      write(static_cast<std::uint64_t>(value.size()));
      if constexpr (ArithmeticBlock<T>)
        append(value.data(), value.size() * sizeof(typename T::value_type));
      else
        for (auto const& element : value) write(element);
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

/// Reads back what FieldWriter wrote. The bytes are not trusted: a length that the rest cannot hold is refused before
/// anything is allocated.
class FieldReader {
 public:
  /// The bytes must outlive the reader.
  explicit FieldReader(std::span<std::byte const> bytes) : rest_(bytes) {}
  template <std::same_as<std::vector<std::byte>> Bytes>
  explicit FieldReader(Bytes&&) = delete;

  template <class T>
  void read(T& value) {
    if constexpr (std::same_as<T, bool>) {
      std::uint8_t byte = 0;
      read(byte);
      if (byte > 1) throw FormatError("a truth value that is neither 0 nor 1");
      value = byte == 1;
    } else if constexpr (std::is_arithmetic_v<T>) {
      take(&value, sizeof value);
    } else if constexpr (HasFields<T>) {
      value.fields([this](auto&... member) { (this->read(member), ...); });
    } else {
      std::uint64_t size = 0;
      read(size);
      if constexpr (ArithmeticBlock<T>) {
        refuse_unless(size <= rest_.size() / sizeof(typename T::value_type));
        value.resize(static_cast<std::size_t>(size));
        take(value.data(), value.size() * sizeof(typename T::value_type));
      } else {
        refuse_unless(size <= rest_.size());  // no element is smaller than a byte
        value.clear();
        for (std::uint64_t i = 0; i < size; ++i) read(value.emplace_back());
      }
    }
  }

  [[nodiscard]] std::span<std::byte const> rest() const noexcept { return rest_; }
  void expect_end() const {
    if (!rest_.empty()) throw FormatError("the bytes go on behind the end of the value");
  }

 private:
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

template <HasFields T>
[[nodiscard]] std::vector<std::byte> field_bytes(T const& value) {
  FieldWriter writer;
  writer.write(value);
  return std::move(writer).bytes();
}

}  // namespace fltr
