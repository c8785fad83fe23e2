#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <fltr/core/random.hpp>
#include <fltr/data/dataset.hpp>
#include <fltr/federation/round_info.hpp>

#include "support/fixed_shape.hpp"
#include "support/nanobench.hpp"

/// Lower bounds with which the benchmarks compare: they choose queries as the learners do and only read or score them.
namespace fltr::benchmarks {

/// Scores the queries of a client's interactions in a round, and loads the next query into the cache meanwhile. `scores`
/// has room for the documents of a query.
void score_queries(auto const& client, std::uint32_t round, auto const& ranker, std::span<float> scores) {
  Stream pick = RoundInfo{1, round, 1}.streams(client.id).of(Purpose::queries);
  QueryView next = client.queries.draw(pick);
  for (std::uint32_t i = 0; i < client.interactions; ++i) {
    QueryView const query = next;
    ranker.score(query, scores.first(query.document_count()));
    if (i + 1 < client.interactions) {
      next = client.queries.draw(pick);
      next.prefetch();
    }
  }
  ankerl::nanobench::doNotOptimizeAway(scores[0]);
}

/// Reads the features of the queries of a client's interactions in a round.
void stream_queries(auto const& client, std::uint32_t round) {
  Stream pick = RoundInfo{1, round, 1}.streams(client.id).of(Purpose::queries);
  float sum = 0;
  for (std::uint32_t i = 0; i < client.interactions; ++i) sum += stream_features(client.queries.draw(pick));
  ankerl::nanobench::doNotOptimizeAway(sum);
}

/// Reads all features of a data set.
inline void stream_all(Dataset const& data) {
  float sum = 0;
  for (std::size_t q = 0; q < data.size(); ++q) sum += stream_features(data[q]);
  ankerl::nanobench::doNotOptimizeAway(sum);
}

/// Sets the weights of a ranker to `deviation` times standard normal numbers.
template <class R>
[[nodiscard]] R with_random_weights(R ranker, float deviation) {
  Stream random(2);
  for (float& w : ranker.parameters()) w = deviation * static_cast<float>(random.normal());
  return ranker;
}

}  // namespace fltr::benchmarks
