#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fltr/core/compiler.hpp>
#include <fltr/core/error.hpp>
#include <fltr/core/random.hpp>
#include <fltr/data/dataset.hpp>
#include <fltr/data/grade.hpp>
#include <fltr/data/query_pool.hpp>

namespace fltr {

/// Whether the intents of a query are renumbered at random.
enum class IntentShuffle : std::uint8_t {
  none,       ///< an intent has the same number in all queries
  per_query,  ///< each query numbers its intents in a random order (Zhuang and Zuccon 2021; Wang 2024, section 4.3.1)
};

/// The grades that users with different intents give to the documents of one Dataset. Usually a grade is 0 or 1:
/// relevant for the intent, or not. read_intents and IntentClusters make them.
struct Intents {
  std::vector<std::vector<Grade>> grades;  ///< for each intent: one grade per document, in the order of the Dataset

  /// The number of intents.
  [[nodiscard]] std::size_t size() const noexcept { return grades.size(); }

  /// Throws std::invalid_argument unless there is an intent, and each has one grade per document of the Dataset.
  void check(Dataset const& data) const {
    require(size() > 0, "Intents", "at least one intent", size());
    for (auto const& of_intent : grades)
      require(of_intent.size() == data.document_count(), "Intents",
              std::to_string(data.document_count()) + " grades for each intent, one per document", of_intent.size());
  }

  /// The highest grade of each document among all intents: with grades 0 and 1, a document is relevant if it is
  /// relevant for any intent.
  [[nodiscard]] std::vector<Grade> merged() const {
    std::vector<Grade> out = grades.empty() ? std::vector<Grade>{} : grades.front();
    for (auto const& of_intent : grades)
      for (std::size_t d = 0; d < out.size(); ++d) out[d] = std::max(out[d], of_intent[d]);
    return out;
  }

  /// Renumbers the intents of each query in an order of its own. Every order is equally likely. The order of query q is
  /// a function of the seed and q.
  void shuffle_per_query(Dataset const& data, std::uint64_t seed) {
    check(data);
    std::vector<std::size_t> order(size());
    std::vector<Grade> column(size());
    for (std::size_t q = 0; q < data.size(); ++q) {
      for (std::size_t k = 0; k < order.size(); ++k) order[k] = k;
      auto stream = Streams{seed, 0, static_cast<std::uint32_t>(q)}.of(Purpose::partition);
      stream.shuffle(std::span(order));
      std::size_t const first = data.first_document(q);
      for (std::size_t d = first; d < first + data[q].document_count(); ++d) {
        for (std::size_t k = 0; k < order.size(); ++k) column[k] = grades[order[k]][d];
        for (std::size_t k = 0; k < order.size(); ++k) grades[k][d] = column[k];
      }
    }
  }
};

/// The queries of a Dataset with the grades of each intent, for the training or the test part. The features are those
/// of the Dataset, which must outlive the pools.
[[nodiscard]] inline std::vector<QueryPool> intent_pools(Dataset const& data, Intents intents,
                                                         IntentShuffle shuffle = IntentShuffle::none,
                                                         std::uint64_t seed = 1) {
  intents.check(data);
  if (shuffle == IntentShuffle::per_query) intents.shuffle_per_query(data, seed);
  std::vector<QueryPool> out;
  out.reserve(intents.size());
  for (auto& of_intent : intents.grades) out.push_back(QueryPool(data).with_grades(std::move(of_intent)));
  return out;
}
FLTR_UNAVAILABLE(
    "the result of intent_pools refers to its Dataset, so the Dataset must not be a temporary: give it a name")
std::vector<QueryPool> intent_pools(Dataset const&&, Intents, IntentShuffle = {}, std::uint64_t = 1);

}  // namespace fltr
