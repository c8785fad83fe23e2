#pragma once

#include <cstddef>
#include <cstdint>

#include <fltr/concepts/population.hpp>
#include <fltr/core/compiler.hpp>
#include <fltr/data/dataset.hpp>
#include <fltr/data/intents.hpp>
#include <fltr/data/query_pool.hpp>
#include <fltr/partition/preference_population.hpp>

namespace fltr {

/// Non-IID type 1 (Wang 2024, section 4.3.1): all clients have the same queries and documents, and judge them by
/// different intents. The IID twin judges by merged grades: a document is relevant if it is relevant for any intent.
///
///     fltr::IntentClusters const clusters(train, {.intents = 4});
///     auto const clients = fltr::ByPreference{.intents = clusters.label(train), .clients = 40}.split(train);
///     auto const iid = clients.iid_twin();
///     auto const test_by_intent = fltr::intent_pools(test, clusters.label(test));
///
/// A client takes no memory. An intent takes 2 bytes per document, and so do the merged grades.
struct ByPreference {
  Intents intents;                 ///< of the Dataset that is split: from a file (read_intents) or from IntentClusters
  std::size_t clients = 0;         ///< client i has intent i modulo the number of intents; 0: one client per intent
  std::uint32_t interactions = 5;  ///< per client and round
  IntentShuffle shuffle = IntentShuffle::per_query;
  std::uint64_t seed = 1;  ///< of the shuffle

  /// The Dataset must outlive the population.
  template <class = void>
  [[nodiscard]] PreferencePopulation split(Dataset const& data) const {
    intents.check(data);
    return {intent_pools(data, intents, shuffle, seed), QueryPool(data).with_grades(intents.merged()),
            clients == 0 ? intents.size() : clients, interactions};
  }
  FLTR_UNAVAILABLE(
      "the result of ByPreference::split refers to its Dataset, so the Dataset must not be a temporary: give it a name")
  PreferencePopulation split(Dataset const&&) const;
};
static_assert(Partitioner<ByPreference>);

}  // namespace fltr
