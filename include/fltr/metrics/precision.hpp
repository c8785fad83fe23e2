#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>

#include <fltr/concepts/metric.hpp>
#include <fltr/metrics/gain.hpp>

namespace fltr {

/// The share of relevant documents among the first `cutoff` ranks. A shorter list is filled up with misses, as
/// trec_eval does.
struct Precision {
  std::size_t cutoff = 10;
  Grade relevant_from = 1;

  [[nodiscard]] double measure(RankedList list) const {
    auto const seen = first_ranks(list.grades, cutoff);
    auto const hits = std::ranges::count_if(seen, [this](Grade g) { return g >= relevant_from; });
    std::size_t const ranks = cutoff == 0 ? seen.size() : cutoff;
    return ranks == 0 ? 0.0 : static_cast<double>(hits) / static_cast<double>(ranks);
  }
};
static_assert(Metric<Precision>);

/// The mean of the precisions at the ranks of the relevant documents, over all relevant documents of the query; its
/// mean over queries is MAP. `cutoff` 0 looks at the whole list.
struct AveragePrecision {
  std::size_t cutoff = 0;
  Grade relevant_from = 1;
  EmptyQuery empty = EmptyQuery::skip;

  [[nodiscard]] std::optional<double> measure(RankedList list) const {
    auto const relevant = std::ranges::count_if(list.ideal, [this](Grade g) { return g >= relevant_from; });
    if (relevant == 0) return value_of(empty);
    double sum = 0.0;
    double hits = 0.0;
    auto const seen = first_ranks(list.grades, cutoff);
    for (std::size_t i = 0; i < seen.size(); ++i)
      if (seen[i] >= relevant_from) sum += ++hits / static_cast<double>(i + 1);
    return sum / static_cast<double>(relevant);
  }
};
static_assert(Metric<AveragePrecision>);

}  // namespace fltr
