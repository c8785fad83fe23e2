#pragma once

#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include <fltr/concepts/query_set.hpp>
#include <fltr/concepts/ranker.hpp>
#include <fltr/core/error.hpp>
#include <fltr/metrics/evaluate.hpp>
#include <fltr/metrics/kendall_tau.hpp>
#include <fltr/metrics/ndcg.hpp>

namespace fltr {

/// How far two rankers of one type are apart, in their weights and in their rankings. NaN: not defined.
struct RankerDistance {
  double weights = 0;           ///< ‖a − b‖₂
  double relative_weights = 0;  ///< ‖a − b‖₂ / ‖b‖₂
  double kendall_tau = 0;       ///< τ-b of the scores, mean over the queries for which it is defined
  double ndcg_difference = 0;   ///< nDCG@k of a minus that of b, mean over the queries with a relevant document
  double ndcg_change = 0;       ///< |nDCG@k of a − nDCG@k of b| of each such query, mean over them

  /// Adds `factor` times another distance, for means.
  void add(RankerDistance const& other, double factor) noexcept {
    weights += factor * other.weights;
    relative_weights += factor * other.relative_weights;
    kendall_tau += factor * other.kendall_tau;
    ndcg_difference += factor * other.ndcg_difference;
    ndcg_change += factor * other.ndcg_change;
  }
};

/// The distance of a from b on these queries (a Dataset, a QueryPool). Equal scores keep the order of the rows in nDCG.
template <ParametricRanker R, QuerySet S>
[[nodiscard]] RankerDistance ranker_distance(R const& a, R const& b, S const& queries, Ndcg const& ndcg) {
  auto const weights_a = a.parameters();
  auto const weights_b = b.parameters();
  require(weights_a.size() == weights_b.size(), "ranker_distance",
          "as many parameters of b as of a, " + std::to_string(weights_a.size()), weights_b.size());
  double squares = 0;
  double squares_b = 0;
  for (std::size_t k = 0; k < weights_a.size(); ++k) {
    double const difference = static_cast<double>(weights_a[k]) - static_cast<double>(weights_b[k]);
    squares += difference * difference;
    squares_b += static_cast<double>(weights_b[k]) * static_cast<double>(weights_b[k]);
  }
  RankerDistance distance{.weights = std::sqrt(squares), .relative_weights = std::sqrt(squares / squares_b)};

  auto const ndcg_a = evaluate_queries(a, queries, ndcg);
  auto const ndcg_b = evaluate_queries(b, queries, ndcg);
  std::size_t measured = 0;
  std::size_t ordered = 0;
  std::vector<float> scores_a;
  std::vector<float> scores_b;
  for (std::size_t q = 0; q < queries.size(); ++q) {
    auto const query = queries[q];
    scores_a.resize(query.document_count());
    scores_b.resize(query.document_count());
    a.score(query, scores_a);
    b.score(query, scores_b);
    if (auto const tau = fltr::kendall_tau(scores_a, scores_b)) {
      distance.kendall_tau += *tau;
      ++ordered;
    }
    if (!ndcg_a[q] || !ndcg_b[q]) continue;
    distance.ndcg_difference += *ndcg_a[q] - *ndcg_b[q];
    distance.ndcg_change += std::abs(*ndcg_a[q] - *ndcg_b[q]);
    ++measured;
  }
  distance.kendall_tau /= static_cast<double>(ordered);  // 0 / 0 is NaN
  distance.ndcg_difference /= static_cast<double>(measured);
  distance.ndcg_change /= static_cast<double>(measured);
  return distance;
}

}  // namespace fltr
