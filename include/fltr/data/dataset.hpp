#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_set>
#include <utility>
#include <vector>

#include <range/v3/view/iota.hpp>
#include <range/v3/view/transform.hpp>

#include <fltr/core/aligned.hpp>
#include <fltr/core/error.hpp>
#include <fltr/core/simd.hpp>
#include <fltr/data/ideal_list.hpp>
#include <fltr/data/query_view.hpp>

namespace fltr {

/// Many short strings in one buffer: the identifiers of queries or documents.
class StringList {
 public:
  [[nodiscard]] std::size_t size() const noexcept { return ends_.size(); }
  [[nodiscard]] bool empty() const noexcept { return ends_.empty(); }
  [[nodiscard]] std::string_view operator[](std::size_t i) const& noexcept {
    std::size_t const begin = i == 0 ? 0 : ends_[i - 1];
    return std::string_view(text_).substr(begin, ends_[i] - begin);
  }
  void operator[](std::size_t) const&& = delete;
  void push_back(std::string_view item) {
    text_ += item;
    ends_.push_back(text_.size());
  }
  auto fields(auto&& visit) { return visit(text_, ends_); }

 private:
  std::string text_;
  std::vector<std::uint64_t> ends_;
};

/// What a Dataset is made of. `features` holds documents × stride floats, see Dataset::stride_for.
struct DatasetParts {
  std::size_t feature_count = 0;
  AlignedFloats features;
  std::vector<Grade> labels;                 ///< one per document
  std::vector<std::uint64_t> query_offsets;  ///< first document of each query, and the number of documents at the end
  StringList qids;                           ///< one per query
  StringList docids;                         ///< one per document, or none at all
};

/// Queries with their documents: one row-major matrix of floats, a grade per document. Not changed by anything that
/// trains or evaluates, and shared by all clients of a simulation. A moved-from Dataset is empty. Views of a
/// temporary do not compile.
class Dataset {
 public:
  static constexpr Grade largest_grade = fltr::largest_grade;

  Dataset() : Dataset(DatasetParts{0, AlignedFloats{}, {}, {0}, {}, {}}) {}

  explicit Dataset(DatasetParts parts) : parts_(std::move(parts)), stride_(stride_for(parts_.feature_count)) {
    auto& offsets = parts_.query_offsets;
    if (offsets.empty() && parts_.labels.empty()) offsets.push_back(0);  // the parts of a moved-from Dataset
    require(!offsets.empty() && offsets.front() == 0 && offsets.back() == parts_.labels.size() &&
                std::ranges::is_sorted(offsets),
            "Dataset", "query offsets that rise from 0 to the number of labels", offsets.empty() ? 0 : offsets.back());
    size_ = offsets.size() - 1;
    require(parts_.features.size() == parts_.labels.size() * stride_, "Dataset", "documents x stride feature values",
            parts_.features.size());
    require(parts_.qids.size() == size(), "Dataset", "one qid per query", parts_.qids.size());
    require(parts_.docids.empty() || parts_.docids.size() == parts_.labels.size(), "Dataset",
            "one docid per document or none", parts_.docids.size());
    sort_ideal_lists();
  }
  Dataset(Dataset const&) = default;
  Dataset(Dataset&& other) noexcept
      : parts_(std::exchange(other.parts_, DatasetParts{})),
        size_(std::exchange(other.size_, 0)),
        stride_(std::exchange(other.stride_, 0)),
        ideal_(std::exchange(other.ideal_, {})),
        grade_count_(std::exchange(other.grade_count_, 0)),
        empty_queries_(std::exchange(other.empty_queries_, 0)) {}
  Dataset& operator=(Dataset other) noexcept {
    std::swap(parts_, other.parts_);
    std::swap(size_, other.size_);
    std::swap(stride_, other.stride_);
    std::swap(ideal_, other.ideal_);
    std::swap(grade_count_, other.grade_count_);
    std::swap(empty_queries_, other.empty_queries_);
    return *this;
  }
  ~Dataset() = default;

  /// The distance between two rows: the features and zeros up to a multiple of eight.
  [[nodiscard]] static constexpr std::size_t stride_for(std::size_t feature_count) noexcept {
    return (feature_count + simd::lanes - 1) / simd::lanes * simd::lanes;
  }

  /// The number of queries.
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] std::size_t document_count() const noexcept { return parts_.labels.size(); }
  [[nodiscard]] std::size_t feature_count() const noexcept { return parts_.feature_count; }
  /// The highest grade that occurs, plus one (0 for an empty set).
  [[nodiscard]] std::size_t grade_count() const noexcept { return grade_count_; }
  /// Queries without a document of a grade above 0.
  [[nodiscard]] std::size_t empty_query_count() const noexcept { return empty_queries_; }

  [[nodiscard]] QueryView operator[](std::size_t query) const& noexcept {
    std::size_t const begin = parts_.query_offsets[query];
    std::size_t const count = parts_.query_offsets[query + 1] - begin;
    return {parts_.features.data() + begin * stride_, stride_, parts_.feature_count,
            std::span(parts_.labels).subspan(begin, count), std::span(ideal_).subspan(begin, count)};
  }
  void operator[](std::size_t) const&& = delete;

  /// All queries, in order, as a random-access range of QueryView.
  [[nodiscard]] auto queries() const& {
    return ranges::views::iota(std::size_t{0}, size()) |
           ranges::views::transform([this](std::size_t query) { return (*this)[query]; });
  }
  void queries() const&& = delete;

  [[nodiscard]] std::string_view qid(std::size_t query) const& noexcept { return parts_.qids[query]; }
  [[nodiscard]] std::string qid(std::size_t query) const&& { return std::string(parts_.qids[query]); }
  [[nodiscard]] bool has_docids() const noexcept { return !parts_.docids.empty(); }
  [[nodiscard]] std::string_view docid(std::size_t document) const& noexcept { return parts_.docids[document]; }
  [[nodiscard]] std::string docid(std::size_t document) const&& { return std::string(parts_.docids[document]); }
  /// The number of the query's first document among all documents.
  [[nodiscard]] std::size_t first_document(std::size_t query) const noexcept { return parts_.query_offsets[query]; }

  [[nodiscard]] std::size_t stride() const noexcept { return stride_; }
  [[nodiscard]] DatasetParts const& parts() const& noexcept { return parts_; }
  void parts() const&& = delete;
  /// Gives the parts away, for making another Dataset without a copy.
  [[nodiscard]] DatasetParts release() && { return std::move(Dataset(std::move(*this)).parts_); }

 private:
  void sort_ideal_lists() {
    ideal_.resize(parts_.labels.size());
    for (std::size_t q = 0; q < size(); ++q) {
      std::size_t const begin = parts_.query_offsets[q];
      std::size_t const count = parts_.query_offsets[q + 1] - begin;
      auto const ideal = std::span(ideal_).subspan(begin, count);
      write_ideal_list("Dataset", std::span(parts_.labels).subspan(begin, count), ideal);
      if (!ideal.empty()) grade_count_ = std::max(grade_count_, std::size_t{ideal.front()} + 1);
      if (ideal.empty() || ideal.front() == 0) ++empty_queries_;
    }
  }

  DatasetParts parts_;
  std::size_t size_ = 0;
  std::size_t stride_ = 0;
  std::vector<Grade> ideal_;
  std::size_t grade_count_ = 0;
  std::size_t empty_queries_ = 0;
};

/// An xtensor matrix, or anything else with `shape()` and `operator()(row, column)`.
template <class M>
concept FeatureMatrix = requires(M const& m) {
  m.shape()[1];
  static_cast<float>(m(std::size_t{}, std::size_t{}));
};

/// An xtensor vector, or anything else with `shape()` and `operator()(position)`.
template <class V>
concept DocumentVector = requires(V const& v) {
  static_cast<std::size_t>(v.shape()[0]);
  static_cast<double>(v(std::size_t{}));
};

namespace detail {

/// The number of rows of a tensor. Requires `dimensions` where the tensor states its dimension.
template <class T>
[[nodiscard]] std::size_t tensor_rows(T const& tensor, std::size_t dimensions, std::string_view what) {
  if constexpr (requires { tensor.dimension(); })
    require(tensor.dimension() == dimensions, "make_dataset", what, std::to_string(tensor.dimension()) + " dimensions");
  return static_cast<std::size_t>(tensor.shape()[0]);
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

/// A Dataset from a matrix of one's own. `query_sizes` says how many consecutive rows belong to each query; the queries
/// are numbered from 1.
template <FeatureMatrix M>
[[nodiscard]] Dataset make_dataset(M const& features, std::span<Grade const> labels,
                                   std::span<std::size_t const> query_sizes) {
  DatasetParts parts = detail::feature_parts(features);
  auto const documents = static_cast<std::size_t>(features.shape()[0]);
  require(labels.size() == documents, "make_dataset", "one label per row of the matrix", labels.size());
  parts.labels.assign(labels.begin(), labels.end());
  for (std::size_t size : query_sizes) {
    parts.query_offsets.push_back(parts.query_offsets.back() + size);
    parts.qids.push_back(std::to_string(parts.qids.size() + 1));
  }
  require(parts.query_offsets.back() == documents, "make_dataset", "query sizes that add up to the rows",
          parts.query_offsets.back());
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
  auto const per_document = [&](char const* what) {
    return std::string(what) + ", " + std::to_string(documents) + " in all";
  };
  std::size_t const grade_count = detail::tensor_rows(grades, 1, "grades of 1 dimension");
  std::size_t const id_count = detail::tensor_rows(query_ids, 1, "query ids of 1 dimension");
  require(grade_count == documents, "make_dataset", per_document("one grade per row of the features"), grade_count);
  require(id_count == documents, "make_dataset", per_document("one query id per row of the features"), id_count);

  DatasetParts parts = detail::feature_parts(features);
  parts.labels.reserve(documents);
  std::unordered_set<Id> seen;
  for (std::size_t i = 0; i < documents; ++i) {
    auto const grade = static_cast<double>(grades(i));
    if (!(grade >= 0 && grade <= Dataset::largest_grade && grade == std::floor(grade)))
      throw_requirement("make_dataset", "a whole grade of 0 to 30 in row " + std::to_string(i) + " (counted from 0)",
                        grade);
    parts.labels.push_back(static_cast<Grade>(grade));
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

/// The three parts of a fold.
struct Fold {
  Dataset train;
  Dataset vali;
  Dataset test;
};

}  // namespace fltr
