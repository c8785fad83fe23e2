#pragma once

#include <cstddef>
#include <optional>

#include <fltr/concepts/metric.hpp>
#include <fltr/metrics/gain.hpp>

namespace fltr {

/// Discounted cumulative gain (Järvelin and Kekäläinen 2002): Σ_r gain(r) / log2(r + 1).
struct Dcg {
  std::size_t cutoff = 10;
  Gain gain = Gain::exponential;

  [[nodiscard]] double measure(RankedList list) const { return discounted_gain(list.grades, cutoff, gain); }
};
static_assert(Metric<Dcg>);

/// DCG divided by that of the ideal list, which is made of all documents of the query, not only the shown ones.
struct Ndcg {
  std::size_t cutoff = 10;
  Gain gain = Gain::exponential;
  EmptyQuery empty = EmptyQuery::skip;

  [[nodiscard]] std::optional<double> measure(RankedList list) const {
    double const ideal = discounted_gain(list.ideal, cutoff, gain);
    if (!(ideal > 0.0)) return value_of(empty);
    return discounted_gain(list.grades, cutoff, gain) / ideal;
  }
};
static_assert(Metric<Ndcg>);

}  // namespace fltr
