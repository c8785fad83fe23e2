#pragma once

#include <cstddef>
#include <optional>

#include <fltr/concepts/metric.hpp>
#include <fltr/metrics/dcg.hpp>
#include <fltr/metrics/gain.hpp>
#include <fltr/metrics/no_relevant_documents.hpp>

namespace fltr {

/// Normalised DCG: the DCG of the list divided by the DCG of the ideal list. The ideal list has all documents of the
/// query, not only the displayed ones.
struct Ndcg {
  std::size_t cutoff = 10;
  Gain gain = Gain::exponential;
  NoRelevantDocuments empty = NoRelevantDocuments::skip;

  [[nodiscard]] std::optional<double> measure(RankedList list) const {
    Dcg const dcg{cutoff, gain};
    double const ideal = dcg.measure({list.ideal, list.ideal});
    if (!(ideal > 0.0)) return value_of(empty);
    return dcg.measure(list) / ideal;
  }
};
static_assert(Metric<Ndcg>);

}  // namespace fltr
