#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fltr/core/aligned_floats.hpp>
#include <fltr/core/error.hpp>
#include <fltr/data/dataset.hpp>
#include <fltr/data/query_pool.hpp>
#include <fltr/data/query_view.hpp>
#include <fltr/rankers/forest.hpp>

namespace fltr {

/// Appends the scores of forests to the features of documents.
class AppendedScores {
 public:
  AppendedScores() = default;
  /// `features`: the number of features of the documents.
  AppendedScores(std::vector<Forest> forests, std::size_t features)
      : forests_(std::move(forests)), features_(features) {
    for (Forest const& forest : forests_)
      require(forest.feature_count() <= features, "AppendedScores",
              "forests of at most " + std::to_string(features) + " features", forest.feature_count());
  }

  [[nodiscard]] std::span<Forest const> forests() const& noexcept { return forests_; }
  [[nodiscard]] std::vector<Forest> forests() const&& { return forests_; }
  /// The documents' own features.
  [[nodiscard]] std::size_t own_feature_count() const noexcept { return features_; }
  /// The documents' own features and the scores.
  [[nodiscard]] std::size_t feature_count() const noexcept { return features_ + forests_.size(); }
  /// The feature, counted from 0, that holds the score of a forest.
  [[nodiscard]] std::size_t feature_of(std::size_t forest) const noexcept { return features_ + forest; }

  /// A Dataset of the queries with the scores as further features.
  [[nodiscard]] Dataset append_to(QueryPool const& queries) const {
    std::size_t const stride = Dataset::stride_for(feature_count());
    DatasetParts parts{feature_count(), {}, {}, {0}, {}, {}};
    parts.scaled_by = queries.scaled_by();
    for (std::size_t q = 0; q < queries.size(); ++q) {
      auto const grades = queries[q].grades();
      parts.grades.insert(parts.grades.end(), grades.begin(), grades.end());
      parts.query_offsets.push_back(parts.grades.size());
      parts.qids.push_back(queries.qid(q));
    }
    parts.features = AlignedFloats(parts.grades.size() * stride);
    for (std::size_t q = 0; q < queries.size(); ++q)
      fill(queries[q], parts.features.data() + parts.query_offsets[q] * stride);
    return Dataset(std::move(parts));
  }

  /// The scores of a ranker that was trained on rows with appended scores.
  void score(Forest const& ranker, QueryView query, std::span<float> scores) const {
    std::size_t const stride = Dataset::stride_for(feature_count());
    AlignedFloats rows(query.document_count() * stride);
    fill(query, rows.data());
    ranker.score(QueryView(rows.data(), stride, feature_count(), query.grades(), query.ideal()), scores);
  }

  /// The mean of the forests' scores; 0 without forests.
  void mean(QueryView query, std::span<float> scores) const {
    std::vector<double> sums(scores.size());
    std::vector<double> of_forest(scores.size());
    for (Forest const& forest : forests_) {
      forest.score(query, of_forest);
      for (std::size_t d = 0; d < sums.size(); ++d) sums[d] += of_forest[d];
    }
    auto const count = static_cast<double>(std::max<std::size_t>(forests_.size(), 1));
    std::ranges::transform(sums, scores.begin(), [&](double sum) { return static_cast<float>(sum / count); });
  }

  auto fields(auto&& visit) { return visit(features_, forests_); }
  /// Whether the constructor would accept the values.
  [[nodiscard]] bool consistent() const {
    return features_ <= Forest::most_features &&
           std::ranges::all_of(forests_, [&](Forest const& forest) { return forest.feature_count() <= features_; });
  }

  friend bool operator==(AppendedScores const&, AppendedScores const&) = default;

 private:
  void fill(QueryView query, float* rows) const {
    require(query.feature_count() >= features_, "AppendedScores",
            "rows of at least " + std::to_string(features_) + " features", query.feature_count());
    std::size_t const stride = Dataset::stride_for(feature_count());
    std::vector<float> scores(query.document_count());
    for (std::size_t d = 0; d < scores.size(); ++d) {
      std::ranges::copy(query.row(d).first(features_), rows + d * stride);
      std::fill_n(rows + d * stride + feature_count(), stride - feature_count(), 0.0F);
    }
    for (std::size_t m = 0; m < forests_.size(); ++m) {
      forests_[m].score(query, scores);
      for (std::size_t d = 0; d < scores.size(); ++d) rows[d * stride + feature_of(m)] = scores[d];
    }
  }

  std::vector<Forest> forests_;
  std::uint64_t features_ = 0;
};

}  // namespace fltr
