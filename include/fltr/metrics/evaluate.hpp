#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <fltr/concepts/execution.hpp>
#include <fltr/concepts/metric.hpp>
#include <fltr/concepts/query_set.hpp>
#include <fltr/concepts/ranker.hpp>
#include <fltr/core/error.hpp>
#include <fltr/core/serial.hpp>
#include <fltr/core/top_k.hpp>
#include <fltr/data/dataset.hpp>
#include <fltr/data/query_pool.hpp>
#include <fltr/metrics/detail/evaluation_blocks.hpp>
#include <fltr/metrics/detail/list_measurer.hpp>
#include <fltr/metrics/evaluation.hpp>
#include <fltr/metrics/score_measurer.hpp>

namespace fltr {

/// Several metrics of a ranker in one pass over the queries (a Dataset, a QueryPool). The result has the same bits on
/// every Execution. Documents of equal scores are in row order unless `ties` says otherwise.
template <Execution E, Ranker R, QuerySet S, Metric... Ms>
[[nodiscard]] std::array<Evaluation, sizeof...(Ms)> evaluate_on(E const& execution, TieOrder ties, R const& ranker,
                                                                S const& queries, Ms const&... metrics) {
  return execution
      .reduce(detail::evaluation_blocks(queries), detail::evaluation_leaf(ties, ranker, queries, metrics...))
      .metrics;
}
template <Execution E, Ranker R, QuerySet S, Metric... Ms>
[[nodiscard]] std::array<Evaluation, sizeof...(Ms)> evaluate_on(E const& execution, R const& ranker, S const& queries,
                                                                Ms const&... metrics) {
  return evaluate_on(execution, TieOrder::row, ranker, queries, metrics...);
}

/// Several metrics of given scores, one score per document in row order.
template <Execution E, Metric... Ms>
[[nodiscard]] std::array<Evaluation, sizeof...(Ms)> evaluate_scores_on(E const& execution, TieOrder ties,
                                                                       std::span<float const> scores,
                                                                       Dataset const& data, Ms const&... metrics) {
  require(scores.size() == data.document_count(), "evaluate_scores_on",
          std::to_string(data.document_count()) + " scores, one per document", scores.size());
  auto const leaf = [&](std::size_t block) {
    ScoreMeasurer<Ms...> measurer(ties, metrics...);
    return detail::evaluate_block<sizeof...(Ms)>(data, block, [&](std::size_t q) {
      return measurer.measure(data[q], scores.subspan(data.first_document(q), data[q].document_count()));
    });
  };
  return execution.reduce(detail::evaluation_blocks(data), leaf).metrics;
}

/// The mean of a metric over the queries that the metric does not skip; 0 without such a query. The same bits on every
/// Execution.
template <Execution E, Ranker R, QuerySet S, Metric M>
[[nodiscard]] double evaluate(E const& execution, R const& ranker, S const& queries, M const& metric) {
  return evaluate_on(execution, ranker, queries, metric)[0].mean();
}
template <Ranker R, QuerySet S, Metric M>
[[nodiscard]] double evaluate(R const& ranker, S const& queries, M const& metric) {
  return evaluate(Serial{}, ranker, queries, metric);
}

/// The metric of each query, for example for a paired t-test (metrics/significance.hpp); std::nullopt where the metric
/// skips the query.
template <Ranker R, QuerySet S, Metric M>
[[nodiscard]] std::vector<std::optional<double>> evaluate_queries(R const& ranker, S const& queries, M const& metric) {
  detail::ListMeasurer<R, M> measurer(ranker, TieOrder::row, metric);
  std::vector<std::optional<double>> values;
  values.reserve(queries.size());
  for (std::size_t q = 0; q < queries.size(); ++q) values.push_back(measurer.measure(queries[q])[0]);
  return values;
}

/// Several metrics of each query in one pass.
template <Ranker R, QuerySet S, Metric... Ms>
requires(sizeof...(Ms) > 1)
[[nodiscard]] std::vector<std::array<std::optional<double>, sizeof...(Ms)>> evaluate_queries(R const& ranker,
                                                                                             S const& queries,
                                                                                             Ms const&... metrics) {
  detail::ListMeasurer<R, Ms...> measurer(ranker, TieOrder::row, metrics...);
  std::vector<std::array<std::optional<double>, sizeof...(Ms)>> values;
  values.reserve(queries.size());
  for (std::size_t q = 0; q < queries.size(); ++q) values.push_back(measurer.measure(queries[q]));
  return values;
}

}  // namespace fltr
