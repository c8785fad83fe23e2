#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <vector>

#include <fltr/concepts/metric.hpp>
#include <fltr/concepts/ranker.hpp>
#include <fltr/core/top_k.hpp>
#include <fltr/data/query_view.hpp>
#include <fltr/metrics/score_measurer.hpp>

namespace fltr::detail {

/// Measures metrics of the lists that a ranker ranks. The ranker must outlive this object.
template <Ranker R, Metric... Ms>
class ListMeasurer {
 public:
  ListMeasurer(R const& ranker, TieOrder ties, Ms const&... metrics) : ranker_(ranker), measurer_(ties, metrics...) {}
  ListMeasurer(R const&&, TieOrder, Ms const&...) = delete;

  [[nodiscard]] std::array<std::optional<double>, sizeof...(Ms)> measure(QueryView query) {
    scores_.resize(query.document_count());
    ranker_.score(query, scores_);
    return measurer_.measure(query, scores_);
  }

 private:
  R const& ranker_;
  ScoreMeasurer<Ms...> measurer_;
  std::vector<float> scores_;
};

}  // namespace fltr::detail
