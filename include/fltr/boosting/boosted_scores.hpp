#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <fltr/concepts/execution.hpp>
#include <fltr/concepts/metric.hpp>
#include <fltr/data/query_pool.hpp>
#include <fltr/data/query_view.hpp>
#include <fltr/metrics/evaluation.hpp>
#include <fltr/metrics/score_measurer.hpp>
#include <fltr/metrics/selection_measurer.hpp>
#include <fltr/rankers/tree.hpp>

namespace fltr {

/// The scores of all documents of some queries, to which trees are added one by one. As in a Forest, scores are summed
/// in double and read as floats.
class BoostedScores {
 public:
  static constexpr std::size_t block = 32;  ///< queries of a block of an Execution

  explicit BoostedScores(std::vector<QueryView> queries) : queries_(std::move(queries)), first_{0} {
    for (QueryView const& query : queries_) first_.push_back(first_.back() + query.document_count());
    scores_.resize(first_.back());
  }

  [[nodiscard]] std::span<QueryView const> queries() const& noexcept { return queries_; }
  void queries() const&& = delete;
  [[nodiscard]] std::size_t document_count() const noexcept { return scores_.size(); }
  /// The index of the first document of a query.
  [[nodiscard]] std::size_t first_document(std::size_t query) const noexcept { return first_[query]; }
  [[nodiscard]] std::size_t block_count() const noexcept { return (queries_.size() + block - 1) / block; }

  /// The scores of a query, converted to floats in `buffer`.
  [[nodiscard]] std::span<float const> scores(std::size_t query, std::vector<float>& buffer) const {
    buffer.resize(queries_[query].document_count());
    for (std::size_t d = 0; d < buffer.size(); ++d) buffer[d] = static_cast<float>(scores_[first_[query] + d]);
    return buffer;
  }

  /// Adds a value to the scores of these documents.
  void add(std::span<std::uint32_t const> documents, double value) noexcept {
    for (std::uint32_t document : documents) scores_[document] += value;
  }
  /// Adds the values of a tree to the scores of a query.
  void add(std::size_t query, Tree const& tree) noexcept {
    for (std::size_t d = 0; d < queries_[query].document_count(); ++d)
      scores_[first_[query] + d] += tree.leaf[tree.leaf_of(queries_[query].row(d))];
  }
  /// Adds the values of a tree to all scores.
  template <Execution E>
  void add(E const& execution, Tree const& tree) {
    each_query(execution, [&](std::size_t q) { add(q, tree); });
  }

  /// Calls body(q) for every query, in blocks of the Execution.
  template <Execution E, class Body>
  void each_query(E const& execution, Body const& body) const {
    for_each_block(execution, block_count(), [&](std::size_t b) {
      for (std::size_t q = b * block; q < std::min(queries_.size(), (b + 1) * block); ++q) body(q);
    });
  }

  /// A metric of the lists that the scores rank.
  template <Execution E, Metric M>
  [[nodiscard]] Evaluation evaluate(E const& execution, M const& metric) const {
    return sum_over_queries(execution, [&] {
      return [measurer = ScoreMeasurer<M>(TieOrder::row, metric)](QueryView query, auto scores) mutable {
        return measurer.measure(query, scores)[0];
      };
    });
  }
  /// A metric to choose between forests, see SelectionMeasurer.
  template <Execution E, Metric M>
  [[nodiscard]] Evaluation evaluate_for_selection(E const& execution, M const& metric) const {
    return sum_over_queries(execution, [&] {
      return [measurer = SelectionMeasurer<M>(metric)](QueryView query, auto scores) mutable {
        return measurer.measure(query, scores);
      };
    });
  }

 private:
  /// `make_measure()` returns the function measure(query, scores) for the queries of a block.
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
