#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <fltr/concepts/execution.hpp>
#include <fltr/concepts/metric.hpp>
#include <fltr/data/query_view.hpp>
#include <fltr/metrics/evaluate.hpp>
#include <fltr/rankers/tree.hpp>

namespace fltr {

/// Something that has queries by number (a Dataset, a QueryPool).
template <class Q>
concept QueriesByNumber = requires(Q const& queries, std::size_t i) {
  { queries.size() } -> std::convertible_to<std::size_t>;
  { queries[i] } -> std::convertible_to<QueryView>;
};

template <QueriesByNumber Queries>
[[nodiscard]] std::vector<QueryView> query_views(Queries const& queries) {
  std::vector<QueryView> views;
  views.reserve(queries.size());
  for (std::size_t q = 0; q < queries.size(); ++q) views.push_back(queries[q]);
  return views;
}
void query_views(Dataset const&&) = delete;

/// Queries with a score for every document, to which trees are added one after the other. Scores are kept in double, in
/// which a Forest adds up, and seen as floats, as which a Forest hands them out.
class BoostedScores {
 public:
  static constexpr std::size_t block = 32;  ///< queries that are worked on together

  explicit BoostedScores(std::vector<QueryView> queries) : queries_(std::move(queries)), first_{0} {
    for (QueryView const& query : queries_) first_.push_back(first_.back() + query.document_count());
    scores_.resize(first_.back());
  }

  [[nodiscard]] std::span<QueryView const> queries() const& noexcept { return queries_; }
  void queries() const&& = delete;
  [[nodiscard]] std::size_t document_count() const noexcept { return scores_.size(); }
  /// The number of a query's first document.
  [[nodiscard]] std::size_t first_document(std::size_t query) const noexcept { return first_[query]; }
  [[nodiscard]] std::size_t block_count() const noexcept { return (queries_.size() + block - 1) / block; }

  /// The scores of a query, as floats in `buffer`.
  [[nodiscard]] std::span<float const> scores(std::size_t query, std::vector<float>& buffer) const {
    buffer.resize(queries_[query].document_count());
    for (std::size_t d = 0; d < buffer.size(); ++d) buffer[d] = static_cast<float>(scores_[first_[query] + d]);
    return buffer;
  }

  void add(std::span<std::uint32_t const> documents, double value) noexcept {
    for (std::uint32_t document : documents) scores_[document] += value;
  }
  /// What the tree says about the documents of a query.
  void add(std::size_t query, Tree const& tree) noexcept {
    for (std::size_t d = 0; d < queries_[query].document_count(); ++d)
      scores_[first_[query] + d] += tree.leaf[tree.leaf_of(queries_[query].row(d))];
  }
  template <Execution E>
  void add(E const& execution, Tree const& tree) {
    each_query(execution, [&](std::size_t q) { add(q, tree); });
  }

  /// body(q) for every query, several at a time.
  template <Execution E, class Body>
  void each_query(E const& execution, Body const& body) const {
    for_each_block(execution, block_count(), [&](std::size_t b) {
      for (std::size_t q = b * block; q < std::min(queries_.size(), (b + 1) * block); ++q) body(q);
    });
  }

  /// The metric of the lists that the scores give.
  template <Execution E, Metric M>
  [[nodiscard]] Evaluation evaluate(E const& execution, M const& metric) const {
    return sum_over_queries(execution, [&] {
      return [measurer = ScoreMeasurer<M>(TieOrder::row, metric)](QueryView query, auto scores) mutable {
        return measurer.measure(query, scores)[0];
      };
    });
  }
  /// The same for choosing between forests, see SelectionMeasurer.
  template <Execution E, Metric M>
  [[nodiscard]] Evaluation evaluate_for_selection(E const& execution, M const& metric) const {
    return sum_over_queries(execution, [&] {
      return [measurer = SelectionMeasurer<M>(metric)](QueryView query, auto scores) mutable {
        return measurer.measure(query, scores);
      };
    });
  }

 private:
  /// `make_measure()` makes what measures the queries of a block: measure(query, scores).
  template <Execution E, class MakeMeasure>
  [[nodiscard]] Evaluation sum_over_queries(E const& execution, MakeMeasure const& make_measure) const {
    if (queries_.empty()) return {};
    return execution.reduce(block_count(), [&](std::size_t b) {
      auto measure = make_measure();
      std::vector<float> buffer;
      Evaluation sum;
      for (std::size_t q = b * block; q < std::min(queries_.size(), (b + 1) * block); ++q)
        sum.add(measure(queries_[q], scores(q, buffer)));
      return sum;
    });
  }

  std::vector<QueryView> queries_;
  std::vector<std::size_t> first_;
  std::vector<double> scores_;
};

}  // namespace fltr
