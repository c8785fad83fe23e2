#pragma once

#include <algorithm>
#include <cstddef>

#include <fltr/concepts/metric.hpp>
#include <fltr/data/query_view.hpp>
#include <fltr/metrics/first_ranks.hpp>

namespace fltr {

/// The fraction of relevant documents in the first `cutoff` ranks. The ranks that a shorter list does not have count as
/// irrelevant, as in trec_eval.
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

}  // namespace fltr
