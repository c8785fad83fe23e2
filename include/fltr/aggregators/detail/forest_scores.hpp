#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include <fltr/concepts/metric.hpp>
#include <fltr/concepts/query_set.hpp>
#include <fltr/core/error.hpp>
#include <fltr/data/dataset.hpp>
#include <fltr/data/query_view.hpp>
#include <fltr/metrics/evaluation.hpp>
#include <fltr/metrics/selection_measurer.hpp>
#include <fltr/rankers/forest.hpp>

namespace fltr::detail {

/// The scores of all documents of some queries by each of several forests. They are computed once, so that many weights
/// can be tried.
class ForestScores {
 public:
  /// The Dataset must outlive this object. So must a pool with its own grades.
  template <QuerySet Queries>
  ForestScores(std::span<Forest const> forests, Queries const& queries) : scores_(forests.size()) {
    for (std::size_t q = 0; q < queries.size(); ++q) {
      queries_.push_back(queries[q]);
      first_.push_back(scores_.empty() ? 0 : scores_.front().size());
      for (std::size_t m = 0; m < forests.size(); ++m) {
        scores_[m].resize(first_.back() + queries_.back().document_count());
        forests[m].score(queries_.back(), std::span(scores_[m]).subspan(first_.back()));
      }
    }
  }

  ForestScores(std::span<Forest const>, Dataset const&&) = delete;

  /// The metric of the lists ranked by Σ weights_i · scores_i, measured as by SelectionMeasurer. A forest of weight 0
  /// is left out, also if its scores are infinite or NaN.
  template <Metric M>
  [[nodiscard]] Evaluation evaluate(std::span<double const> weights, M const& metric) const {
    require(weights.size() == scores_.size(), "ForestScores",
            "one weight for each of " + std::to_string(scores_.size()) + " forests", weights.size());
    SelectionMeasurer<M> measurer(metric);
    std::vector<double> sums;
    std::vector<float> combined;
    Evaluation result;
    for (std::size_t q = 0; q < queries_.size(); ++q) {
      sums.assign(queries_[q].document_count(), 0.0);
      for (std::size_t m = 0; m < weights.size(); ++m) {
        if (weights[m] == 0.0) continue;
        for (std::size_t d = 0; d < sums.size(); ++d) sums[d] += weights[m] * scores_[m][first_[q] + d];
      }
      combined.assign(sums.begin(), sums.end());
      result.add(measurer.measure(queries_[q], combined));
    }
    return result;
  }

 private:
  std::vector<QueryView> queries_;
  std::vector<std::size_t> first_;           // first document of each query
  std::vector<std::vector<double>> scores_;  // by forest
};

}  // namespace fltr::detail
