#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include <fltr/core/aligned_floats.hpp>
#include <fltr/data/dataset.hpp>
#include <fltr/data/displayed_list.hpp>
#include <fltr/data/grade.hpp>
#include <fltr/data/query_view.hpp>

namespace fltr {

/// The features of the documents of one displayed list, in rank order. It is a copy without grades: what a server that
/// delivers the documents knows of a list. Clicks are not part of it.
class DisplayedDocuments {
 public:
  explicit DisplayedDocuments(DisplayedList const& list) : grades_(list.size()) {
    if (list.size() == 0) return;
    features_ = list.features(0).size();
    std::size_t const stride = Dataset::stride_for(features_);
    rows_ = AlignedFloats(list.size() * stride);
    std::ranges::fill(rows_.span(), 0.0F);
    for (std::size_t rank = 0; rank < list.size(); ++rank)
      std::ranges::copy(list.features(rank), rows_.data() + rank * stride);
  }

  [[nodiscard]] std::size_t size() const noexcept { return grades_.size(); }

  /// The documents as a query, for rankers. Every grade is 0.
  [[nodiscard]] QueryView documents() const& noexcept {
    return {rows_.data(), Dataset::stride_for(features_), features_, grades_, grades_};
  }
  void documents() const&& = delete;

 private:
  std::size_t features_ = 0;
  AlignedFloats rows_;
  std::vector<Grade> grades_;  // zeros
};

}  // namespace fltr
