#pragma once

#include <algorithm>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <fltr/core/error.hpp>
#include <fltr/formats/npy_element.hpp>

namespace fltr::detail {

/// NumPy's dtype of one number: f4 f8 i1 i2 i4 i8 u1 u2 u4 u8 or b1.
struct NpyType {
  char kind = 'f';  ///< f, i, u or b
  std::size_t size = 4;
  std::endian order = std::endian::native;

  /// As in the header of a file, e.g. '<f4'.
  [[nodiscard]] std::string text() const {
    char const order_mark = size == 1 ? '|' : order == std::endian::little ? '<' : '>';
    return {'\'', order_mark, kind, static_cast<char>('0' + size), '\''};
  }

  friend bool operator==(NpyType const&, NpyType const&) = default;
};

template <NpyElement T>
[[nodiscard]] constexpr NpyType npy_type() noexcept {
  if (std::same_as<T, bool>) return {'b', 1};
  return {std::is_floating_point_v<T> ? 'f' : std::is_signed_v<T> ? 'i' : 'u', sizeof(T)};
}

/// A shape as Python writes it: (3,) or (3, 2).
[[nodiscard]] inline std::string npy_shape_text(std::span<std::size_t const> shape) {
  std::string text = "(";
  for (std::size_t i = 0; i < shape.size(); ++i) text += (i > 0 ? ", " : "") + std::to_string(shape[i]);
  return text + (shape.size() == 1 ? ",)" : ")");
}

/// The header of a .npy file (versions 1.0, 2.0 and 3.0; see numpy.lib.format).
struct NpyHeader {
  NpyType type;
  bool fortran_order = false;  ///< the first index varies fastest
  std::vector<std::size_t> shape;
  std::size_t data_begin = 0;  ///< in bytes from the beginning of the file
  std::size_t count = 1;       ///< of elements
};

/// Parses the dictionary of a header: a Python literal with the keys descr, fortran_order and shape in any order.
class NpyDictionary {
 public:
  NpyDictionary(std::string_view text, std::string_view file) : text_(text), file_(file) {}

  [[nodiscard]] NpyHeader parse() {
    NpyHeader header;
    bool has_descr = false;
    bool has_order = false;
    bool has_shape = false;
    auto const once = [&](bool& has, std::string const& key) {
      if (has) fail("the key '" + key + "' once", "the key twice");
      has = true;
    };
    expect('{');
    while (!next_is('}')) {
      std::string const key = string();
      expect(':');
      if (key == "descr") {
        once(has_descr, key);
        header.type = type();
      } else if (key == "fortran_order") {
        once(has_order, key);
        header.fortran_order = boolean();
      } else if (key == "shape") {
        once(has_shape, key);
        header.shape = shape();
      } else {
        fail("the keys descr, fortran_order and shape", "the key '" + printable(key) + "'");
      }
      if (!next_is(',')) {
        expect('}');
        break;
      }
    }
    if (!has_descr || !has_order || !has_shape) fail("the keys descr, fortran_order and shape", "a header without one");
    skip_space();
    if (!text_.empty()) fail("the end of the header", "'" + printable(text_.substr(0, 20)) + "'");
    return header;
  }

 private:
  [[noreturn]] void fail(std::string const& required, std::string const& got) const {
    throw FormatError(std::string(file_) + ": required " + required + ", got " + got);
  }

  [[nodiscard]] static std::string printable(std::string_view text) {
    std::string result(text.substr(0, 40));
    std::ranges::replace_if(result, [](char c) { return c < ' ' || c > '~'; }, '?');
    return result;
  }

  void skip_space() {
    while (!text_.empty() && (text_[0] == ' ' || text_[0] == '\n' || text_[0] == '\t' || text_[0] == '\r'))
      text_.remove_prefix(1);
  }
  [[nodiscard]] bool next_is(char c) {
    skip_space();
    if (text_.empty() || text_[0] != c) return false;
    text_.remove_prefix(1);
    return true;
  }
  void expect(char c) {
    if (next_is(c)) return;
    fail(std::string("'") + c + "' in the header",
         text_.empty() ? "its end" : "'" + printable(text_.substr(0, 20)) + "'");
  }

  [[nodiscard]] std::string string() {
    skip_space();
    char const quote = text_.empty() ? '\0' : text_[0];
    if (quote != '\'' && quote != '"')
      fail("a quoted string in the header", "'" + printable(text_.substr(0, 20)) + "'");
    std::size_t const end = text_.find(quote, 1);
    if (end == std::string_view::npos) fail("a closing quote in the header", "none");
    std::string result(text_.substr(1, end - 1));
    text_.remove_prefix(end + 1);
    return result;
  }

  [[nodiscard]] NpyType type() {
    constexpr auto known = "a dtype of floats (4 or 8 bytes), integers (1 to 8 bytes) or bool";
    skip_space();
    if (!text_.empty() && text_[0] == '[') fail(known, "a structured dtype");
    std::string const text = string();
    auto const refuse = [&] { fail(known, "'" + printable(text) + "'"); };
    if (text.size() != 3) refuse();
    NpyType const result{text[1], static_cast<std::size_t>(text[2] - '0'),
                         text[0] == '>' ? std::endian::big : std::endian::little};
    constexpr std::string_view types = "f4 f8 i1 i2 i4 i8 u1 u2 u4 u8 b1";
    if (std::size_t const at = types.find(std::string_view(text).substr(1)); at == types.npos || at % 3 != 0) refuse();
    // The byte order of one byte does not matter.
    if (result.size > 1 ? text[0] != '<' && text[0] != '>' : text[0] != '|' && text[0] != '<' && text[0] != '>')
      refuse();
    return result;
  }

  [[nodiscard]] bool boolean() {
    skip_space();
    for (bool const value : {false, true}) {
      std::string_view const word = value ? "True" : "False";
      if (!text_.starts_with(word)) continue;
      text_.remove_prefix(word.size());
      return value;
    }
    fail("fortran_order True or False", "'" + printable(text_.substr(0, 20)) + "'");
  }

  [[nodiscard]] std::vector<std::size_t> shape() {
    std::vector<std::size_t> result;
    expect('(');
    while (!next_is(')')) {
      result.push_back(integer());
      static_cast<void>(next_is('L'));  // written by Python 2
      if (!next_is(',')) {
        expect(')');
        // (3) is a number in Python, not a tuple.
        if (result.size() == 1) fail("a shape such as (3,)", "(" + std::to_string(result[0]) + ")");
        break;
      }
    }
    return result;
  }

  [[nodiscard]] std::size_t integer() {
    skip_space();
    std::size_t value = 0;
    std::size_t digits = 0;
    for (; digits < text_.size() && text_[digits] >= '0' && text_[digits] <= '9'; ++digits) {
      auto const digit = static_cast<std::size_t>(text_[digits] - '0');
      if (value > (std::numeric_limits<std::size_t>::max() - digit) / 10)
        fail("a shape that fits into memory", "'" + printable(text_.substr(0, 40)) + "'");
      value = 10 * value + digit;
    }
    if (digits == 0) fail("a shape of non-negative integers", "'" + printable(text_.substr(0, 20)) + "'");
    text_.remove_prefix(digits);
    return value;
  }

  std::string_view text_;
  std::string_view file_;
};

/// Parses and checks the header of a .npy file. `file` is the file's name for errors. Throws FormatError unless the
/// bytes are a complete file: exactly as much data as the shape says.
[[nodiscard]] inline NpyHeader parse_npy_header(std::string_view bytes, std::string_view file) {
  auto const fail = [&](std::string const& required, std::string const& got) {
    throw FormatError(std::string(file) + ": required " + required + ", got " + got);
  };
  constexpr std::string_view magic = "\x93NUMPY";
  constexpr std::size_t prefix = 8;  // magic and version
  if (!bytes.starts_with(magic) || bytes.size() < prefix)
    fail("a .npy file", "other or too few bytes at its beginning");
  auto const byte = [&](std::size_t i) { return std::size_t{static_cast<unsigned char>(bytes[i])}; };
  std::size_t const format = byte(6);
  if (format < 1 || format > 3 || byte(7) != 0)
    fail("version 1.0, 2.0 or 3.0 of the .npy format", std::to_string(format) + "." + std::to_string(byte(7)));
  std::size_t const length_bytes = format == 1 ? 2 : 4;
  if (bytes.size() < prefix + length_bytes) fail("a complete .npy header", "a truncated file");
  std::size_t length = 0;
  for (std::size_t i = length_bytes; i > 0; --i) length = 256 * length + byte(prefix + i - 1);
  std::size_t const text_begin = prefix + length_bytes;
  if (length > bytes.size() - text_begin)
    fail("a header of " + std::to_string(length) + " bytes",
         "a file that ends after " + std::to_string(bytes.size() - text_begin) + " of them");

  NpyHeader header = NpyDictionary(bytes.substr(text_begin, length), file).parse();
  header.data_begin = text_begin + length;

  // A product without its zeros must fit too: (0, 2^63) has no elements, but its strides do not fit into an integer.
  constexpr std::size_t most = static_cast<std::size_t>(std::numeric_limits<std::ptrdiff_t>::max()) / 8;
  std::size_t product = 1;
  for (std::size_t const extent : header.shape) {
    if (extent > most / product) fail("a shape that fits into memory", npy_shape_text(header.shape));
    product *= std::max<std::size_t>(extent, 1);
    header.count *= extent;
  }
  std::size_t const data = bytes.size() - header.data_begin;
  if (data != header.count * header.type.size)
    fail(std::to_string(header.count * header.type.size) + " bytes of data for shape " + npy_shape_text(header.shape) +
             " of " + header.type.text(),
         std::to_string(data));
  return header;
}

/// The header of a file (version 1.0) whose data follows in C order.
[[nodiscard]] inline std::string npy_header_bytes(NpyType type, std::span<std::size_t const> shape) {
  constexpr std::size_t alignment = 64;
  constexpr std::size_t before = 10;  // magic, version and length
  std::string text = "{'descr': " + type.text() + ", 'fortran_order': False, 'shape': " + npy_shape_text(shape) + ", }";
  text.append(alignment - 1 - (before + text.size()) % alignment, ' ');
  text += '\n';
  require(text.size() <= 65'535, "write_npy", "a shape whose text fits into a header", npy_shape_text(shape));
  std::string bytes("\x93NUMPY\x01\x00", 8);
  bytes += static_cast<char>(text.size() % 256);
  bytes += static_cast<char>(text.size() / 256);
  return bytes + text;
}

}  // namespace fltr::detail
