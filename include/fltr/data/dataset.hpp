#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fltr/core/aligned_floats.hpp>
#include <fltr/core/compiler.hpp>
#include <fltr/core/error.hpp>
#include <fltr/core/lane_sum.hpp>
#include <fltr/data/dataset_queries.hpp>
#include <fltr/data/detail/ideal_list.hpp>
#include <fltr/data/grade.hpp>
#include <fltr/data/query_view.hpp>
#include <fltr/data/secrecy.hpp>
#include <fltr/data/string_list.hpp>

namespace fltr {

/// The contents of a Dataset. `features` has documents × stride floats, see Dataset::stride_for.
struct DatasetParts {
  std::size_t feature_count = 0;
  AlignedFloats features;
  std::vector<Grade> grades;                 ///< one per document
  std::vector<std::uint64_t> query_offsets;  ///< the first document of each query, then the number of documents
  StringList qids;                           ///< one per query
  StringList docids;                         ///< one per document, or empty
  ScaledBy scaled_by = ScaledBy::nothing;    ///< what the library knows of earlier normalisations of the features
};

/// Queries with their documents: a row-major matrix of floats and a grade per document. Training and evaluation do not
/// change a Dataset, and all clients of a simulation share it. A moved-from Dataset is empty. Views of a temporary do
/// not compile.
class Dataset {
 public:
  Dataset() : Dataset(DatasetParts{0, AlignedFloats{}, {}, {0}, {}, {}}) {}

  explicit Dataset(DatasetParts parts) : parts_(std::move(parts)), stride_(stride_for(parts_.feature_count)) {
    auto& offsets = parts_.query_offsets;
    if (offsets.empty() && parts_.grades.empty()) offsets.push_back(0);  // parts of a moved-from Dataset
    require(!offsets.empty() && offsets.front() == 0 && offsets.back() == parts_.grades.size() &&
                std::ranges::is_sorted(offsets),
            "Dataset", "ascending query offsets from 0 to the number of grades", offsets.empty() ? 0 : offsets.back());
    size_ = offsets.size() - 1;
    require(parts_.features.size() == parts_.grades.size() * stride_, "Dataset",
            std::to_string(parts_.grades.size() * stride_) + " feature values (documents x stride)",
            parts_.features.size());
    require(parts_.qids.size() == size(), "Dataset", "one qid per query", parts_.qids.size());
    require(parts_.docids.empty() || parts_.docids.size() == parts_.grades.size(), "Dataset",
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

  /// The distance between two rows in floats: the number of features, rounded up to a multiple of 8. The rest of a row
  /// is zeros.
  [[nodiscard]] static constexpr std::size_t stride_for(std::size_t feature_count) noexcept {
    return (feature_count + simd::lanes - 1) / simd::lanes * simd::lanes;
  }

  /// The number of queries.
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] std::size_t document_count() const noexcept { return parts_.grades.size(); }
  [[nodiscard]] std::size_t feature_count() const noexcept { return parts_.feature_count; }
  /// The highest grade that occurs, plus 1; 0 for an empty Dataset.
  [[nodiscard]] std::size_t grade_count() const noexcept { return grade_count_; }
  /// On which other documents the features depend, as far as they were normalised by this library.
  [[nodiscard]] ScaledBy scaled_by() const noexcept { return parts_.scaled_by; }
  /// The number of queries without a document of a grade above 0.
  [[nodiscard]] std::size_t empty_query_count() const noexcept { return empty_queries_; }

  [[nodiscard]] QueryView operator[](std::size_t query) const& noexcept {
    std::size_t const begin = parts_.query_offsets[query];
    std::size_t const count = parts_.query_offsets[query + 1] - begin;
    return {parts_.features.data() + begin * stride_, stride_, parts_.feature_count,
            std::span(parts_.grades).subspan(begin, count), std::span(ideal_).subspan(begin, count)};
  }
  FLTR_UNAVAILABLE("a query refers to its Dataset, so the Dataset must not be a temporary: give it a name")
  QueryView operator[](std::size_t) const&&;

  /// All queries, in order, as a random-access view of QueryViews.
  [[nodiscard]] DatasetQueries queries() const& noexcept { return {{*this, 0}, {*this, size()}}; }
  FLTR_UNAVAILABLE(
      "the result of Dataset::queries refers to its Dataset, so the Dataset must not be a temporary: give it a name")
  DatasetQueries queries() const&&;

  [[nodiscard]] std::string_view qid(std::size_t query) const& noexcept { return parts_.qids[query]; }
  [[nodiscard]] std::string qid(std::size_t query) const&& { return std::string(parts_.qids[query]); }
  [[nodiscard]] bool has_docids() const noexcept { return !parts_.docids.empty(); }
  [[nodiscard]] std::string_view docid(std::size_t document) const& noexcept { return parts_.docids[document]; }
  [[nodiscard]] std::string docid(std::size_t document) const&& { return std::string(parts_.docids[document]); }
  /// The number of the query's first document among all documents.
  [[nodiscard]] std::size_t first_document(std::size_t query) const noexcept { return parts_.query_offsets[query]; }

  /// stride_for(feature_count()).
  [[nodiscard]] std::size_t stride() const noexcept { return stride_; }
  [[nodiscard]] DatasetParts const& parts() const& noexcept { return parts_; }
  FLTR_UNAVAILABLE(
      "the result of Dataset::parts refers to its Dataset, so the Dataset must not be a temporary: give it a name, or "
      "call release()")
  DatasetParts const& parts() const&&;
  /// Moves the parts out, so that another Dataset can be made of them without a copy.
  [[nodiscard]] DatasetParts release() && { return std::move(Dataset(std::move(*this)).parts_); }

  static constexpr bool fingerprint_once = true;  // clients share a Dataset
  auto members(auto&& visit) const {
    return visit(parts_.feature_count, parts_.features.span(), parts_.grades, parts_.query_offsets, parts_.qids,
                 parts_.docids);
  }

 private:
  void sort_ideal_lists() {
    ideal_.resize(parts_.grades.size());
    for (std::size_t q = 0; q < size(); ++q) {
      std::size_t const begin = parts_.query_offsets[q];
      std::size_t const count = parts_.query_offsets[q + 1] - begin;
      auto const ideal = std::span(ideal_).subspan(begin, count);
      detail::write_ideal_list("Dataset", std::span(parts_.grades).subspan(begin, count), ideal);
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

inline QueryView DatasetQueries::iterator::operator*() const noexcept {
  return (*data_)[static_cast<std::size_t>(query_)];
}

}  // namespace fltr
