#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include <fltr/concepts/execution.hpp>
#include <fltr/concepts/metric.hpp>
#include <fltr/concepts/query_set.hpp>
#include <fltr/concepts/ranker.hpp>
#include <fltr/core/error.hpp>
#include <fltr/core/top_k.hpp>
#include <fltr/core/tree.hpp>
#include <fltr/data/dataset.hpp>
#include <fltr/metrics/gain.hpp>

namespace fltr {

/// The mean of one metric over the queries of a QuerySet.
struct Evaluation {
  double sum = 0.0;
  std::uint64_t queries = 0;  ///< that count
  std::uint64_t skipped = 0;  ///< that the metric's convention leaves out

  [[nodiscard]] double mean() const noexcept { return queries > 0 ? sum / static_cast<double>(queries) : 0.0; }

  void add(std::optional<double> value) {
    if (!value) {
      ++skipped;
      return;
    }
    sum += *value;
    ++queries;
  }
  void merge(Evaluation const& other) {
    sum += other.sum;
    queries += other.queries;
    skipped += other.skipped;
  }
  auto fields(auto&& visit) { return visit(sum, queries, skipped); }
};

/// Measures lists that are ranked by given scores: the documents that some metric looks at, their grades.
template <Metric... Ms>
class ScoreMeasurer {
 public:
  explicit ScoreMeasurer(TieOrder ties, Ms const&... metrics) : rank_(ties), metrics_(metrics...) {
    bool const whole_list = ((metrics.cutoff == 0) || ...);
    depth_ = whole_list ? static_cast<std::size_t>(-1) : std::max({std::size_t{1}, std::size_t{metrics.cutoff}...});
  }

  /// Each metric of one query.
  [[nodiscard]] std::array<std::optional<double>, sizeof...(Ms)> measure(QueryView query,
                                                                         std::span<float const> scores) {
    rank_(scores, depth_, order_);
    grades_.resize(order_.size());
    for (std::size_t i = 0; i < order_.size(); ++i) grades_[i] = query.labels()[order_[i]];
    auto const list = [&](std::size_t cutoff) {  // no metric sees deeper because another one does
      return RankedList{first_ranks(std::span<Grade const>(grades_), cutoff), query.ideal()};
    };
    return std::apply(
        [&](auto const&... metric) {
          return std::array<std::optional<double>, sizeof...(Ms)>{
              std::optional<double>(metric.measure(list(metric.cutoff)))...};
        },
        metrics_);
  }

 private:
  TopK rank_;
  std::tuple<Ms...> metrics_;
  std::size_t depth_ = 0;
  std::vector<std::uint32_t> order_;
  std::vector<Grade> grades_;
};

/// Measures lists by one metric to choose between models. Equal scores should not help: data is often sorted by grade,
/// and a model that says little would keep its order. So documents of equal scores are taken in their order and in
/// reverse, and the lower value counts.
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

/// Measures lists by several metrics with the scores of a ranker.
template <Ranker R, Metric... Ms>
class ListMeasurer {
 public:
  /// The ranker must outlive this object.
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

/// The sums of several metrics over a part of a QuerySet.
template <std::size_t N>
struct Evaluations {
  std::array<Evaluation, N> metrics;
  void merge(Evaluations const& other) {
    for (std::size_t i = 0; i < N; ++i) metrics[i].merge(other.metrics[i]);
  }
  auto fields(auto&& visit) { return visit(metrics); }
};

/// Queries per block of an evaluation.
inline constexpr std::size_t evaluation_block = 64;

template <QuerySet S>
[[nodiscard]] std::size_t evaluation_blocks(S const& queries) noexcept {
  return std::max<std::size_t>(1, (queries.size() + evaluation_block - 1) / evaluation_block);
}

/// The sums of what measure(q) says about the queries of a block.
template <std::size_t N, QuerySet S, class Measure>
[[nodiscard]] Evaluations<N> evaluate_block(S const& queries, std::size_t block, Measure&& measure) {
  Evaluations<N> sums;
  std::size_t const end = std::min<std::size_t>(queries.size(), (block + 1) * evaluation_block);
  for (std::size_t q = block * evaluation_block; q < end; ++q) {
    std::array<std::optional<double>, N> const values = measure(q);
    for (std::size_t i = 0; i < N; ++i) sums.metrics[i].add(values[i]);
  }
  return sums;
}

/// The function that evaluates one block of queries. The ranker and the queries must outlive the function.
template <Ranker R, QuerySet S, Metric... Ms>
[[nodiscard]] auto evaluation_leaf(TieOrder ties, R const& ranker, S const& queries, Ms const&... metrics) {
  return [&ranker, &queries, ties, metrics...](std::size_t block) {
    ListMeasurer<R, Ms...> measurer(ranker, ties, metrics...);
    return evaluate_block<sizeof...(Ms)>(queries, block, [&](std::size_t q) { return measurer.measure(queries[q]); });
  };
}
template <Ranker R, QuerySet S, Metric... Ms>
void evaluation_leaf(TieOrder, R const&&, S const&, Ms const&...) = delete;
template <Ranker R, QuerySet S, Metric... Ms>
void evaluation_leaf(TieOrder, R const&, S const&&, Ms const&...) = delete;

/// Several metrics in one pass over the queries (a Dataset, a QueryPool), on any Execution; the same bits on each.
template <Execution E, Ranker R, QuerySet S, Metric... Ms>
[[nodiscard]] std::array<Evaluation, sizeof...(Ms)> evaluate_on(E const& execution, TieOrder ties, R const& ranker,
                                                                S const& queries, Ms const&... metrics) {
  return execution.reduce(evaluation_blocks(queries), evaluation_leaf(ties, ranker, queries, metrics...)).metrics;
}
template <Execution E, Ranker R, QuerySet S, Metric... Ms>
[[nodiscard]] std::array<Evaluation, sizeof...(Ms)> evaluate_on(E const& execution, R const& ranker, S const& queries,
                                                                Ms const&... metrics) {
  return evaluate_on(execution, TieOrder::row, ranker, queries, metrics...);
}

/// The same for given scores, one per document.
template <Execution E, Metric... Ms>
[[nodiscard]] std::array<Evaluation, sizeof...(Ms)> evaluate_scores_on(E const& execution, TieOrder ties,
                                                                       std::span<float const> scores,
                                                                       Dataset const& data, Ms const&... metrics) {
  require(scores.size() == data.document_count(), "evaluate_scores_on",
          std::to_string(data.document_count()) + " scores, one per document", scores.size());
  auto const leaf = [&](std::size_t block) {
    ScoreMeasurer<Ms...> measurer(ties, metrics...);
    return evaluate_block<sizeof...(Ms)>(data, block, [&](std::size_t q) {
      return measurer.measure(data[q], scores.subspan(data.first_document(q), data[q].document_count()));
    });
  };
  return execution.reduce(evaluation_blocks(data), leaf).metrics;
}

/// The mean of a metric over the queries; skipped queries are left out of it.
template <Ranker R, QuerySet S, Metric M>
[[nodiscard]] double evaluate(R const& ranker, S const& queries, M const& metric) {
  auto const leaf = evaluation_leaf(TieOrder::row, ranker, queries, metric);
  return reduce_tree(0, evaluation_blocks(queries), leaf).metrics[0].mean();
}
/// The same on any Execution, with the same bits.
template <Execution E, Ranker R, QuerySet S, Metric M>
[[nodiscard]] double evaluate(E const& execution, R const& ranker, S const& queries, M const& metric) {
  return evaluate_on(execution, ranker, queries, metric)[0].mean();
}

/// The metric of each query, for paired tests; nothing where the query is skipped.
template <Ranker R, QuerySet S, Metric M>
[[nodiscard]] std::vector<std::optional<double>> evaluate_queries(R const& ranker, S const& queries, M const& metric) {
  ListMeasurer<R, M> measurer(ranker, TieOrder::row, metric);
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
  ListMeasurer<R, Ms...> measurer(ranker, TieOrder::row, metrics...);
  std::vector<std::array<std::optional<double>, sizeof...(Ms)>> values;
  values.reserve(queries.size());
  for (std::size_t q = 0; q < queries.size(); ++q) values.push_back(measurer.measure(queries[q]));
  return values;
}

}  // namespace fltr
