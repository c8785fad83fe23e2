#pragma once

#include <algorithm>
#include <optional>
#include <span>

#include <fltr/concepts/metric.hpp>
#include <fltr/core/top_k.hpp>
#include <fltr/data/query_view.hpp>
#include <fltr/metrics/score_measurer.hpp>

namespace fltr {

/// Measures one metric to choose between models. Data is often sorted by grade, so a model that gives equal scores
/// would profit from the order of the rows. Documents of equal scores are therefore ranked in row order and in reverse,
/// and the lower value counts.
template <Metric M>
class SelectionMeasurer {
 public:
  explicit SelectionMeasurer(M const& metric) : forward_(TieOrder::row, metric), backward_(TieOrder::reverse, metric) {}

  [[nodiscard]] std::optional<double> measure(QueryView query, std::span<float const> scores) {
    auto const value = forward_.measure(query, scores)[0];
    if (!value) return value;
    return std::min(*value, backward_.measure(query, scores)[0].value_or(*value));
  }

 private:
  ScoreMeasurer<M> forward_;
  ScoreMeasurer<M> backward_;
};

}  // namespace fltr
