#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include <fltr/concepts/execution.hpp>
#include <fltr/concepts/ranker.hpp>
#include <fltr/core/error.hpp>
#include <fltr/core/serial.hpp>
#include <fltr/data/dataset.hpp>

namespace fltr {

/// Writes the score of every document of a Dataset to `scores`, in row order. Score is float or, for a ranker that also
/// has scores in double (Forest), double.
template <Ranker R, std::floating_point Score, Execution E = Serial>
requires requires(R const& ranker, QueryView query, std::span<Score> scores) { ranker.score(query, scores); }
void score_all(R const& ranker, Dataset const& data, std::span<Score> scores, E const& execution = {}) {
  require(scores.size() == data.document_count(), "score_all",
          std::to_string(data.document_count()) + " scores, one per document", scores.size());
  constexpr std::size_t block = 64;  // queries that one thread scores
  for_each_block(execution, (data.size() + block - 1) / block, [&](std::size_t b) {
    for (std::size_t q = b * block; q < std::min(data.size(), (b + 1) * block); ++q)
      ranker.score(data[q], scores.subspan(data.first_document(q), data[q].document_count()));
  });
}

/// The score of every document of a Dataset, in row order.
template <std::floating_point Score = float, Ranker R, Execution E = Serial>
[[nodiscard]] std::vector<Score> score_all(R const& ranker, Dataset const& data, E const& execution = {}) {
  std::vector<Score> scores(data.document_count());
  score_all(ranker, data, std::span<Score>(scores), execution);
  return scores;
}

}  // namespace fltr
