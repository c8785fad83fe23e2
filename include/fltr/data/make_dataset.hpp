#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_set>
#include <utility>

#include <fltr/core/aligned_floats.hpp>
#include <fltr/core/error.hpp>
#include <fltr/data/dataset.hpp>
#include <fltr/data/grade.hpp>

namespace fltr {

/// An xtensor matrix, or another type with `shape()` and `operator()(row, column)`.
template <class M>
concept FeatureMatrix = requires(M const& m) {
  m.shape()[1];
  static_cast<float>(m(std::size_t{}, std::size_t{}));
};

/// An xtensor vector, or another type with `shape()` and `operator()(position)`.
template <class V>
concept DocumentVector = requires(V const& v) {
  static_cast<std::size_t>(v.shape()[0]);
  static_cast<double>(v(std::size_t{}));
};

namespace detail {

/// The number of rows of a tensor. A tensor with a member dimension() must have this number of dimensions.
template <class T>
[[nodiscard]] std::size_t tensor_rows(T const& tensor, std::size_t dimensions, std::string_view what) {
  if constexpr (requires { tensor.dimension(); })
    require(tensor.dimension() == dimensions, "make_dataset", what, std::to_string(tensor.dimension()) + " dimensions");
  return static_cast<std::size_t>(tensor.shape()[0]);
}

[[nodiscard]] inline std::string per_document(char const* what, std::size_t documents) {
  return std::string(what) + ", " + std::to_string(documents) + " in all";
}

/// Rows of floats, each padded with zeros to the stride. The parts have no grades and no queries yet.
template <FeatureMatrix M>
[[nodiscard]] DatasetParts feature_parts(M const& features) {
  std::size_t const documents = tensor_rows(features, 2, "features of 2 dimensions");
  auto const columns = static_cast<std::size_t>(features.shape()[1]);
  std::size_t const stride = Dataset::stride_for(columns);
  DatasetParts parts{columns, AlignedFloats(documents * stride), {}, {0}, {}, {}};
  std::ranges::fill(parts.features.span(), 0.0F);
  for (std::size_t i = 0; i < documents; ++i)
    for (std::size_t k = 0; k < columns; ++k) {
      auto const value = static_cast<float>(features(i, k));
      if (!std::isfinite(value)) [[unlikely]]
        throw_requirement(
            "make_dataset",
            "finite features in row " + std::to_string(i) + ", column " + std::to_string(k) + " (counted from 0)",
            value);
      parts.features.data()[i * stride + k] = value;
    }
  return parts;
}

}  // namespace detail

/// A Dataset from a matrix. `query_sizes` has the number of consecutive rows of each query. The qids are 1, 2, ….
template <FeatureMatrix M>
[[nodiscard]] Dataset make_dataset(M const& features, std::span<Grade const> grades,
                                   std::span<std::size_t const> query_sizes) {
  DatasetParts parts = detail::feature_parts(features);
  auto const documents = static_cast<std::size_t>(features.shape()[0]);
  require(grades.size() == documents, "make_dataset",
          detail::per_document("one grade per row of the matrix", documents), grades.size());
  parts.grades.assign(grades.begin(), grades.end());
  for (std::size_t size : query_sizes) {
    parts.query_offsets.push_back(parts.query_offsets.back() + size);
    parts.qids.push_back(std::to_string(parts.qids.size() + 1));
  }
  require(parts.query_offsets.back() == documents, "make_dataset",
          "query sizes with a sum of " + std::to_string(documents) + " rows", parts.query_offsets.back());
  return Dataset(std::move(parts));
}

/// A Dataset from tensors: features (documents × features), grades (whole numbers of 0 to 30, of any arithmetic type)
/// and query ids (integers), one per document. The documents of a query are consecutive rows. The queries keep their
/// ids and their order.
template <FeatureMatrix M, DocumentVector G, DocumentVector Q>
[[nodiscard]] Dataset make_dataset(M const& features, G const& grades, Q const& query_ids) {
  using Id = std::remove_cvref_t<decltype(query_ids(std::size_t{}))>;
  static_assert(std::integral<Id>, "fltr: make_dataset requires query ids of an integer type");
  std::size_t const documents = detail::tensor_rows(features, 2, "features of 2 dimensions");
  std::size_t const grade_count = detail::tensor_rows(grades, 1, "grades of 1 dimension");
  std::size_t const id_count = detail::tensor_rows(query_ids, 1, "query ids of 1 dimension");
  require(grade_count == documents, "make_dataset",
          detail::per_document("one grade per row of the features", documents), grade_count);
  require(id_count == documents, "make_dataset",
          detail::per_document("one query id per row of the features", documents), id_count);

  DatasetParts parts = detail::feature_parts(features);
  parts.grades.reserve(documents);
  std::unordered_set<Id> seen;
  for (std::size_t i = 0; i < documents; ++i) {
    auto const grade = static_cast<double>(grades(i));
    if (!(grade >= 0 && grade <= largest_grade && grade == std::floor(grade)))
      throw_requirement("make_dataset", "a whole grade of 0 to 30 in row " + std::to_string(i) + " (counted from 0)",
                        grade);
    parts.grades.push_back(static_cast<Grade>(grade));
    Id const id = query_ids(i);
    if (i > 0 && id == static_cast<Id>(query_ids(i - 1))) continue;
    if (!seen.insert(id).second)
      throw_requirement("make_dataset", "consecutive rows for the documents of a query",
                        "query " + std::to_string(id) + " again in row " + std::to_string(i) + " (counted from 0)");
    if (i > 0) parts.query_offsets.push_back(i);
    parts.qids.push_back(std::to_string(id));
  }
  if (documents > 0) parts.query_offsets.push_back(documents);
  return Dataset(std::move(parts));
}

}  // namespace fltr
