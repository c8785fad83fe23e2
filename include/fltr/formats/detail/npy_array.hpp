#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <limits>
#include <span>
#include <sstream>
#include <string>
#include <type_traits>
#include <utility>

#include <fltr/core/error.hpp>
#include <fltr/formats/detail/npy_header.hpp>
#include <fltr/formats/mapped_file.hpp>
#include <fltr/formats/npy_element.hpp>

namespace fltr::detail {

/// The array in a .npy file, mapped into memory; elements are converted when they are read. Files are untrusted: a
/// damaged file and a value that the wanted type cannot hold are FormatErrors with the path in the text.
class NpyArray {
 public:
  explicit NpyArray(std::filesystem::path const& path)
      : name_(path.string()), file_(path), header_(parse_npy_header(file_.text(), name_)) {}

  [[nodiscard]] std::size_t dimension() const noexcept { return header_.shape.size(); }
  [[nodiscard]] NpyHeader const& header() const& noexcept { return header_; }
  void header() const&& = delete;
  [[nodiscard]] std::string const& name() const& noexcept { return name_; }
  void name() const&& = delete;

  /// Throws FormatError unless the array has this many dimensions.
  void require_dimension(std::size_t required) const {
    if (header_.shape.size() != required)
      throw FormatError(name_ + ": required an array of " + std::to_string(required) +
                        (required == 1 ? " dimension" : " dimensions") + ", got shape " +
                        npy_shape_text(header_.shape));
  }

  /// An element of a 1-D array. Floats are rounded to T if T is a float type; every other conversion is exact.
  template <NpyElement T>
  [[nodiscard]] T at(std::size_t i) const {
    bool const swap = header_.type.order != std::endian::native;
    switch (header_.type.kind) {
      case 'f':
        return header_.type.size == 4 ? convert<T>(load<float>(i, swap), i) : convert<T>(load<double>(i, swap), i);
      case 'i':
        switch (header_.type.size) {
          case 1:
            return convert<T>(load<std::int8_t>(i, swap), i);
          case 2:
            return convert<T>(load<std::int16_t>(i, swap), i);
          case 4:
            return convert<T>(load<std::int32_t>(i, swap), i);
          default:
            return convert<T>(load<std::int64_t>(i, swap), i);
        }
      default:
        switch (header_.type.size) {
          case 1:
            return convert<T>(load<std::uint8_t>(i, swap), i);
          case 2:
            return convert<T>(load<std::uint16_t>(i, swap), i);
          case 4:
            return convert<T>(load<std::uint32_t>(i, swap), i);
          default:
            return convert<T>(load<std::uint64_t>(i, swap), i);
        }
    }
  }

  /// An element of a 2-D array.
  template <NpyElement T>
  [[nodiscard]] T at(std::size_t row, std::size_t column) const {
    auto const& shape = header_.shape;
    return at<T>(header_.fortran_order ? column * shape[0] + row : row * shape[1] + column);
  }

  /// All elements in the order of the file.
  template <NpyElement T>
  void copy_to(std::span<T> out) const {
    if constexpr (!std::same_as<T, bool>)
      if (header_.type == npy_type<T>() && !out.empty()) {
        std::memcpy(out.data(), file_.bytes().data() + header_.data_begin, out.size_bytes());
        return;
      }
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = at<T>(i);
  }

 private:
  template <class S>
  [[nodiscard]] S load(std::size_t i, bool swap) const {
    std::array<std::byte, sizeof(S)> bytes;
    std::memcpy(bytes.data(), file_.bytes().data() + header_.data_begin + i * sizeof(S), sizeof(S));
    if (swap) std::ranges::reverse(bytes);
    return std::bit_cast<S>(bytes);
  }

  template <class T, class S>
  [[nodiscard]] T convert(S value, std::size_t position) const {
    if (!(header_.type.kind == 'b' ? value <= S{1} : fits<T>(value))) [[unlikely]]
      refuse(npy_type<T>(), value, position);
    return static_cast<T>(value);
  }

  /// Whether the conversion is exact, or rounds one float type to another without an overflow.
  template <class T, class S>
  [[nodiscard]] static bool fits(S value) {
    if constexpr (std::same_as<T, bool>) {
      return value == S{0} || value == S{1};
    } else if constexpr (std::is_floating_point_v<S> && std::is_floating_point_v<T>) {
      return !std::isfinite(value) || std::isfinite(static_cast<T>(value));
    } else if constexpr (std::is_floating_point_v<S>) {
      // 2^digits is a double, but the largest integer of 64 bits is not.
      double const end = std::ldexp(1.0, std::numeric_limits<T>::digits);
      auto const x = static_cast<double>(value);
      return x >= (std::is_signed_v<T> ? -end : 0.0) && x < end && x == std::floor(x);
    } else if constexpr (std::is_floating_point_v<T>) {
      std::uint64_t const magnitude =
          value < 0 ? std::uint64_t{0} - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value);
      return magnitude == 0 || static_cast<int>(std::bit_width(magnitude >> std::countr_zero(magnitude))) <=
                                   std::numeric_limits<T>::digits;
    } else {
      return std::in_range<T>(value);
    }
  }

  template <class S>
  [[noreturn, gnu::cold]] void refuse(NpyType wanted, S value, std::size_t position) const {
    std::ostringstream text;
    text.precision(std::numeric_limits<double>::max_digits10);
    text << name_ << ": required values that " << (header_.type.kind == 'b' ? header_.type : wanted).text()
         << " can hold, got " << +value << " in element " << position << " (counted from 0)";
    throw FormatError(text.str());
  }

  std::string name_;
  MappedFile file_;
  NpyHeader header_;
};

}  // namespace fltr::detail
