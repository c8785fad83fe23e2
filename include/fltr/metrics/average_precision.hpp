#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>

#include <fltr/concepts/metric.hpp>
#include <fltr/data/query_view.hpp>
#include <fltr/metrics/first_ranks.hpp>
#include <fltr/metrics/no_relevant_documents.hpp>

namespace fltr {

/// Average precision: the sum of the precisions at the ranks of the relevant documents, divided by the number of
/// relevant documents of the query. The mean over queries is MAP. A cutoff of 0 uses the whole list.
struct AveragePrecision {
  std::size_t cutoff = 0;
  Grade relevant_from = 1;
  NoRelevantDocuments empty = NoRelevantDocuments::skip;

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
