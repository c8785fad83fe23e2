#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>

#include <fltr/concepts/metric.hpp>
#include <fltr/concepts/query_set.hpp>
#include <fltr/concepts/ranker.hpp>
#include <fltr/core/top_k.hpp>
#include <fltr/metrics/detail/list_measurer.hpp>
#include <fltr/metrics/evaluation.hpp>

namespace fltr::detail {

/// The sums of several metrics over a part of a QuerySet.
template <std::size_t N>
struct Evaluations {
  std::array<Evaluation, N> metrics;
  void merge(Evaluations const& other) {
    for (std::size_t i = 0; i < N; ++i) metrics[i].merge(other.metrics[i]);
  }
  auto fields(auto&& visit) { return visit(metrics); }
};

/// Queries per block of an evaluation. A constant: it decides the order in which sums are formed.
inline constexpr std::size_t evaluation_block = 64;

template <QuerySet S>
[[nodiscard]] std::size_t evaluation_blocks(S const& queries) noexcept {
  return std::max<std::size_t>(1, (queries.size() + evaluation_block - 1) / evaluation_block);
}

/// The sums of measure(q) over the queries of a block.
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

}  // namespace fltr::detail
