#pragma once

#include <algorithm>
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
  /// Takes a list. Returns whether it has a pair. The rows of the examined documents are copied, so that k rankers
  /// score 10 documents and not the whole query.
  bool take(QueryView query, std::span<std::uint32_t const> order, std::span<std::uint8_t const> clicks) {
    std::size_t examined = 0;
    std::size_t clicked = 0;
    for (std::size_t i = 0; i < clicks.size(); ++i)
      if (clicks[i] != 0) {
        examined = std::min(clicks.size(), i + 2);
        ++clicked;
      }
    pairs_ = static_cast<double>(clicked * (examined - clicked));
    if (pairs_ == 0.0) return false;
    clicks_.assign(clicks.begin(), clicks.begin() + static_cast<std::ptrdiff_t>(examined));
    grades_.assign(examined, 0);
    rows_.resize(examined * query.stride());
    for (std::size_t i = 0; i < examined; ++i)
      std::copy_n(query.rows() + order[i] * query.stride(), query.stride(), &rows_[i * query.stride()]);
    list_ = QueryView(rows_.data(), query.stride(), query.feature_count(), grades_, grades_);
    return true;
  }

  /// The agreement of a ranker with the list.
  template <Ranker R>
  [[nodiscard]] double of(R const& ranker) {
    scores_.resize(clicks_.size());
    ranker.score(list_, scores_);
    double right = 0.0;
    for (std::size_t c = 0; c < clicks_.size(); ++c) {
      if (clicks_[c] == 0) continue;
      for (std::size_t u = 0; u < clicks_.size(); ++u)
        if (clicks_[u] == 0) right += scores_[c] > scores_[u] ? 1.0 : scores_[c] == scores_[u] ? 0.5 : 0.0;
    }
    return right / pairs_;
  }

 private:
  std::vector<std::uint8_t> clicks_;  // on the examined documents
  std::vector<Grade> grades_;         // zeros; rankers do not read them
  std::vector<float> rows_;
  std::vector<float> scores_;
  QueryView list_;
  double pairs_ = 0.0;
};

}  // namespace fltr::detail
