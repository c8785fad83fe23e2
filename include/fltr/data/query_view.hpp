#pragma once

#include <cstddef>
#include <span>

#include <fltr/data/grade.hpp>

namespace fltr {

/// A query of a Dataset with the features and grades of its documents. A view that is passed by value.
class QueryView {
 public:
  QueryView() = default;
  QueryView(float const* rows, std::size_t stride, std::size_t features, std::span<Grade const> grades,
            std::span<Grade const> ideal) noexcept
      : rows_(rows), stride_(stride), features_(features), grades_(grades), ideal_(ideal) {}

  [[nodiscard]] std::size_t document_count() const noexcept { return grades_.size(); }
  [[nodiscard]] std::size_t feature_count() const noexcept { return features_; }

  /// The features of one document.
  [[nodiscard]] std::span<float const> row(std::size_t document) const noexcept {
    return {rows_ + document * stride_, features_};
  }
  /// The grade of each document, in the order of the rows.
  [[nodiscard]] std::span<Grade const> grades() const noexcept { return grades_; }
  /// The ideal list: the grades from the highest to the lowest.
  [[nodiscard]] std::span<Grade const> ideal() const noexcept { return ideal_; }

  /// Prefetches the first rows into the cache of the processor.
  void prefetch() const noexcept {
    constexpr std::size_t most = 2048;  // floats, 8 kB: more would displace data in use
    constexpr std::size_t line = 16;
    std::size_t const size = document_count() * stride_;
    for (std::size_t i = 0; i < (size < most ? size : most); i += line) __builtin_prefetch(rows_ + i, 0, 2);
  }

  /// The features of the first document. Rows are `stride()` floats apart and end with zeros (see simd::dot_rows).
  [[nodiscard]] float const* rows() const noexcept { return rows_; }
  /// The distance between two rows, in floats.
  [[nodiscard]] std::size_t stride() const noexcept { return stride_; }

 private:
  float const* rows_ = nullptr;
  std::size_t stride_ = 0;
  std::size_t features_ = 0;
  std::span<Grade const> grades_;
  std::span<Grade const> ideal_;
};

}  // namespace fltr
