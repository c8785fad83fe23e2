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
#include <ranges>
#include <span>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <fltr/core/error.hpp>
#include <fltr/core/tensor.hpp>
#include <fltr/data/atomic_file.hpp>
#include <fltr/data/dataset.hpp>
#include <fltr/data/mapped_file.hpp>
#include <fltr/io/npy_header.hpp>

/// NumPy's files: `read_npy`, `write_npy` and `read_npy_dataset`. xt::load_npy is not used, because it trusts the file:
/// it allocates what the header claims and does not notice missing data.
namespace fltr {

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

/// Reads an array of N = 1 or 2 dimensions: `read_npy<float, 2>("features.npy")`. Accepts files of versions 1 to 3 in C
/// and in Fortran order and of both byte orders, of floats (4 or 8 bytes), integers and bool. Floats are rounded to T
/// if T is a float type; every other conversion must be exact. Throws FormatError, or std::system_error where the file
/// cannot be opened.
template <NpyElement T, std::size_t N = 1>
requires(N == 1 || N == 2) [[nodiscard]] xt::xtensor<T, N> read_npy(std::filesystem::path const& path) {
  NpyArray const array(path);
  array.require_dimension(N);
  std::array<std::size_t, N> shape{};
  std::ranges::copy(array.header().shape, shape.begin());
  xt::xtensor<T, N> values(shape);
  if constexpr (N == 2)
    if (array.header().fortran_order) {
      for (std::size_t i = 0; i < shape[0]; ++i)
        for (std::size_t k = 0; k < shape[1]; ++k) values(i, k) = array.template at<T>(i, k);
      return values;
    }
  array.copy_to(std::span<T>(values.data(), values.size()));
  return values;
}

/// Reads a Dataset from three files that NumPy wrote: features (documents × features), grades (whole numbers of 0 to
/// 30) and query ids (integers), one per document. The documents of a query are consecutive rows. Features are not
/// clamped, unlike those of LETOR text; values that are not finite floats are refused. Throws as `read_npy` does.
[[nodiscard]] inline Dataset read_npy_dataset(std::filesystem::path const& features_path,
                                              std::filesystem::path const& labels_path,
                                              std::filesystem::path const& qids_path) {
  struct Features {
    NpyArray const& array;
    [[nodiscard]] std::array<std::size_t, 2> shape() const {
      return {array.header().shape[0], array.header().shape[1]};
    }
    [[nodiscard]] float operator()(std::size_t i, std::size_t k) const { return array.at<float>(i, k); }
  };
  struct Grades {
    NpyArray const& array;
    [[nodiscard]] std::array<std::size_t, 1> shape() const { return {array.header().shape[0]}; }
    [[nodiscard]] double operator()(std::size_t i) const { return array.at<double>(i); }
  };
  NpyArray const features(features_path);
  NpyArray const labels(labels_path);
  NpyArray const qids(qids_path);
  features.require_dimension(2);
  labels.require_dimension(1);
  qids.require_dimension(1);
  if (features.header().count == 0)
    throw FormatError(features.name() + ": required at least one document and one feature, got shape " +
                      npy_shape_text(features.header().shape));
  if (qids.header().type.kind == 'f')
    throw FormatError(qids.name() + ": required query ids of an integer dtype, got " + qids.header().type.text());
  for (NpyArray const* column : {&labels, &qids})
    if (column->header().count != features.header().shape[0])
      throw FormatError(column->name() + ": required one value for each of the " +
                        std::to_string(features.header().shape[0]) + " documents in " + features.name() + ", got " +
                        std::to_string(column->header().count));
  auto const make = [&]<class Id>(Id) {
    struct QueryIds {
      NpyArray const& array;
      [[nodiscard]] std::array<std::size_t, 1> shape() const { return {array.header().shape[0]}; }
      [[nodiscard]] Id operator()(std::size_t i) const { return array.at<Id>(i); }
    };
    return make_dataset(Features{features}, Grades{labels}, QueryIds{qids});
  };
  try {
    return qids.header().type.kind == 'u' ? make(std::uint64_t{}) : make(std::int64_t{});
  } catch (std::invalid_argument const& error) {
    throw FormatError(features.name() + ", " + labels.name() + ", " + qids.name() + ": " + error.what());
  }
}

namespace detail {

template <NpyElement T>
void write_npy_values(std::filesystem::path const& path, std::span<std::size_t const> shape, auto begin, auto end) {
  AtomicFile file(path);
  auto const bytes_of = [](auto const& values) { return std::as_bytes(std::span(values)); };
  file.write(bytes_of(npy_header_bytes(npy_type<T>(), shape)));
  std::array<T, 1024> block;
  std::size_t filled = 0;
  for (; begin != end; ++begin) {
    block[filled++] = static_cast<T>(*begin);
    if (filled < block.size()) continue;
    file.write(bytes_of(block));
    filled = 0;
  }
  file.write(bytes_of(block).first(filled * sizeof(T)));
  file.commit();
}

}  // namespace detail

/// Writes a tensor or any xtensor expression in C order, version 1.0, with the dtype of its elements. An existing file
/// is replaced as a whole or not at all. Throws std::system_error with the path in the text.
template <class E>
requires requires(E const& e) {
  e.template cbegin<xt::layout_type::row_major>();
  e.dimension();
}
void write_npy(std::filesystem::path const& path, E const& tensor) {
  std::vector<std::size_t> const shape(tensor.shape().begin(), tensor.shape().end());
  detail::write_npy_values<std::remove_cv_t<typename E::value_type>>(
      path, shape, tensor.template cbegin<xt::layout_type::row_major>(),
      tensor.template cend<xt::layout_type::row_major>());
}

/// Writes a span or a vector as an array of 1 dimension.
template <std::ranges::contiguous_range R>
requires(!requires(R const& values) { values.dimension(); }) void write_npy(std::filesystem::path const& path,
                                                                            R const& values) {
  std::array<std::size_t, 1> const shape{std::ranges::size(values)};
  detail::write_npy_values<std::ranges::range_value_t<R>>(path, shape, std::ranges::begin(values),
                                                          std::ranges::end(values));
}

}  // namespace fltr
