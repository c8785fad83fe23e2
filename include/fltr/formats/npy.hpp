#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <ranges>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include <fltr/core/error.hpp>
#include <fltr/core/tensor.hpp>
#include <fltr/data/dataset.hpp>
#include <fltr/data/make_dataset.hpp>
#include <fltr/formats/atomic_file.hpp>
#include <fltr/formats/detail/npy_array.hpp>
#include <fltr/formats/detail/npy_header.hpp>
#include <fltr/formats/npy_element.hpp>

/// NumPy files: `read_npy`, `write_npy` and `read_npy_dataset`. xt::load_npy is not used because it trusts the file: it
/// allocates the size in the header and does not detect missing data.
namespace fltr {

/// Reads an array of N = 1 or 2 dimensions: `read_npy<float, 2>("features.npy")`. Accepts files of versions 1 to 3 in C
/// and in Fortran order and of both byte orders, of floats (4 or 8 bytes), integers and bool. Floats are rounded to T
/// if T is a float type; every other conversion must be exact. Throws FormatError, or std::system_error if the file
/// cannot be read.
template <NpyElement T, std::size_t N = 1>
requires(N == 1 || N == 2)
[[nodiscard]] xt::xtensor<T, N> read_npy(std::filesystem::path const& path) {
  detail::NpyArray const array(path);
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
    detail::NpyArray const& array;
    [[nodiscard]] std::array<std::size_t, 2> shape() const {
      return {array.header().shape[0], array.header().shape[1]};
    }
    [[nodiscard]] float operator()(std::size_t i, std::size_t k) const { return array.at<float>(i, k); }
  };
  struct Grades {
    detail::NpyArray const& array;
    [[nodiscard]] std::array<std::size_t, 1> shape() const { return {array.header().shape[0]}; }
    [[nodiscard]] double operator()(std::size_t i) const { return array.at<double>(i); }
  };
  detail::NpyArray const features(features_path);
  detail::NpyArray const labels(labels_path);
  detail::NpyArray const qids(qids_path);
  features.require_dimension(2);
  labels.require_dimension(1);
  qids.require_dimension(1);
  if (features.header().count == 0)
    throw FormatError(features.name() + ": required at least one document and one feature, got shape " +
                      detail::npy_shape_text(features.header().shape));
  if (qids.header().type.kind == 'f')
    throw FormatError(qids.name() + ": required query ids of an integer dtype, got " + qids.header().type.text());
  for (detail::NpyArray const* column : {&labels, &qids})
    if (column->header().count != features.header().shape[0])
      throw FormatError(column->name() + ": required one value for each of the " +
                        std::to_string(features.header().shape[0]) + " documents in " + features.name() + ", got " +
                        std::to_string(column->header().count));
  auto const make = [&]<class Id>(Id) {
    struct QueryIds {
      detail::NpyArray const& array;
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
requires(!requires(R const& values) { values.dimension(); })
void write_npy(std::filesystem::path const& path, R const& values) {
  std::array<std::size_t, 1> const shape{std::ranges::size(values)};
  detail::write_npy_values<std::ranges::range_value_t<R>>(path, shape, std::ranges::begin(values),
                                                          std::ranges::end(values));
}

}  // namespace fltr
