#pragma once

#include <cstddef>
#include <optional>

#include <fltr/concepts/metric.hpp>
#include <fltr/data/query_view.hpp>
#include <fltr/metrics/first_ranks.hpp>
#include <fltr/metrics/no_relevant_documents.hpp>

namespace fltr {

/// 1 / rank of the first relevant document within the cutoff, 0 if there is none. The mean over queries is MRR.
struct ReciprocalRank {
  std::size_t cutoff = 10;
  Grade relevant_from = 1;
  NoRelevantDocuments empty = NoRelevantDocuments::skip;

  [[nodiscard]] std::optional<double> measure(RankedList list) const {
    if (list.ideal.empty() || list.ideal.front() < relevant_from) return value_of(empty);
    auto const seen = first_ranks(list.grades, cutoff);
    for (std::size_t i = 0; i < seen.size(); ++i)
      if (seen[i] >= relevant_from) return 1.0 / static_cast<double>(i + 1);
    return 0.0;
  }
};
static_assert(Metric<ReciprocalRank>);

}  // namespace fltr
