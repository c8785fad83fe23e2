#include <fltr/rankers/score_all.hpp>

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include <fltr/rankers/linear_ranker.hpp>

#include "support/catch.hpp"
#include "support/datasets.hpp"
#include "support/plain_threads.hpp"

using fltr::score_all;

TEST_CASE("score_all gives the scores of every query in row order, on every Execution") {
  auto const data = fltr::testing::random_dataset(7, {.queries = 150, .features = 4});
  fltr::LinearRanker const ranker({1.0F, -0.5F, 0.25F, 2.0F});
  std::vector<float> expected;
  for (std::size_t q = 0; q < data.size(); ++q) {
    std::vector<float> scores(data[q].document_count());
    ranker.score(data[q], scores);
    expected.insert(expected.end(), scores.begin(), scores.end());
  }
  CHECK(score_all(ranker, data) == expected);
  CHECK(score_all(ranker, data, fltr::testing::PlainThreads{3}) == expected);
}

TEST_CASE("score_all of an empty Dataset is empty, and a span of another size is an error") {
  auto const data = fltr::testing::random_dataset(7, {.queries = 3, .features = 1});
  fltr::LinearRanker const ranker(std::vector<float>{1.0F});
  CHECK(score_all(ranker, fltr::Dataset()).empty());
  std::vector<float> scores(data.document_count() + 1);
  CHECK_THROWS_WITH(score_all(ranker, data, std::span(scores)),
                    "score_all: required " + std::to_string(data.document_count()) + " scores, one per document, got " +
                        std::to_string(scores.size()));
}
