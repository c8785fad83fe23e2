#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <fltr/concepts/ranker.hpp>
#include <fltr/data/grade.hpp>
#include <fltr/data/query_view.hpp>

namespace fltr::detail {

/// How well rankers agree with the clicks on one displayed list: the share of the pairs of a clicked and an unclicked
/// examined document that a ranker orders as the user did. Equal scores count one half. As in PDGD, the user examined
/// the documents down to one rank below the last click.
class ClickAgreement {
 public:
  /// Takes a list. Returns whether it has a pair. The rows of the examined documents are copied, clicked ones first, so
  /// that k rankers score 10 documents and not the whole query.
  bool take(QueryView query, std::span<std::uint32_t const> order, std::span<std::uint8_t const> clicks) {
    std::size_t examined = 0;
    clicked_ = 0;
    for (std::size_t i = 0; i < clicks.size(); ++i)
      if (clicks[i] != 0) {
        examined = std::min(clicks.size(), i + 2);
        ++clicked_;
      }
    if (clicked_ == examined) return false;  // no click, or no other document
    std::size_t const stride = query.stride();
    rows_.resize(examined * stride);
    grades_.assign(examined, 0);
    scores_.resize(examined);
    std::array<float*, 2> next{rows_.data() + clicked_ * stride, rows_.data()};  // unclicked, clicked
    for (std::size_t i = 0; i < examined; ++i) {
      float*& to = next[clicks[i] != 0 ? 1 : 0];
      to = std::copy_n(query.rows() + order[i] * stride, stride, to);
    }
    list_ = QueryView(rows_.data(), stride, query.feature_count(), grades_, grades_);
    return true;
  }

  /// The agreement of a ranker with the list.
  template <Ranker R>
  [[nodiscard]] double of(R const& ranker) {
    ranker.score(list_, scores_);
    std::int32_t halves = 0;  // no branch depends on a score
    for (std::size_t c = 0; c < clicked_; ++c)
      for (std::size_t u = clicked_; u < scores_.size(); ++u)
        halves +=
            static_cast<std::int32_t>(scores_[c] > scores_[u]) + static_cast<std::int32_t>(scores_[c] >= scores_[u]);
    return static_cast<double>(halves) / static_cast<double>(2 * clicked_ * (scores_.size() - clicked_));
  }

 private:
  std::size_t clicked_ = 0;    // documents
  std::vector<Grade> grades_;  // zeros; rankers do not read them
  std::vector<float> rows_;    // of the examined documents, clicked ones first
  std::vector<float> scores_;
  QueryView list_;
};

}  // namespace fltr::detail
