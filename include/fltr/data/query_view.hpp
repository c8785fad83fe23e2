#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace fltr {

/// How relevant a document is to a query: 0 (not at all) to grade_count − 1.
using Grade = std::uint8_t;

/// One query of a Dataset: its documents' features and grades. A view, passed by value.
class QueryView {
 public:
  QueryView() = default;
  QueryView(float const* rows, std::size_t stride, std::size_t features, std::span<Grade const> labels,
            std::span<Grade const> ideal) noexcept
      : rows_(rows), stride_(stride), features_(features), labels_(labels), ideal_(ideal) {}

  [[nodiscard]] std::size_t document_count() const noexcept { return labels_.size(); }
  [[nodiscard]] std::size_t feature_count() const noexcept { return features_; }

  /// The features of one document.
  [[nodiscard]] std::span<float const> row(std::size_t document) const noexcept {
    return {rows_ + document * stride_, features_};
  }
  /// The grade of each document, in the order of the rows.
  [[nodiscard]] std::span<Grade const> labels() const noexcept { return labels_; }
  /// The same grades from the highest to the lowest: the ideal list.
  [[nodiscard]] std::span<Grade const> ideal() const noexcept { return ideal_; }

  /// Tells the processor that the first rows will be needed soon.
  void prefetch() const noexcept {
    constexpr std::size_t most = 2048;  // floats: 8 kB, more would displace what is in use
    constexpr std::size_t line = 16;
    std::size_t const size = document_count() * stride_;
    for (std::size_t i = 0; i < (size < most ? size : most); i += line) __builtin_prefetch(rows_ + i, 0, 2);
  }

  /// All rows, `stride()` floats apart, zeros behind the features (see simd::dot_rows).
  [[nodiscard]] float const* rows() const noexcept { return rows_; }
  [[nodiscard]] std::size_t stride() const noexcept { return stride_; }

 private:
  float const* rows_ = nullptr;
  std::size_t stride_ = 0;
  std::size_t features_ = 0;
  std::span<Grade const> labels_;
  std::span<Grade const> ideal_;
};

}  // namespace fltr
