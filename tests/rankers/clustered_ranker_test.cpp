#include <algorithm>
#include <cmath>
#include <cstddef>
#include <stdexcept>
#include <vector>

#include <fltr/core/random.hpp>
#include <fltr/rankers/clustered_ranker.hpp>
#include <fltr/rankers/linear_ranker.hpp>
#include <fltr/rankers/neural_ranker.hpp>

#include "support/catch.hpp"
#include "support/same_bits.hpp"
#include "support/toy_dataset.hpp"

using namespace fltr;
using fltr::testing::same_bits;
using fltr::testing::toy_dataset;

static_assert(Ranker<ClusteredRanker<LinearRanker>> && !ParametricRanker<ClusteredRanker<LinearRanker>>);

TEST_CASE("The models start apart: each at a distance of `spread` from the common start, in another direction") {
  for (double const spread : {0.01, 1.0}) {
    ClusteredRanker ranker(LinearRanker(std::vector<float>(20, 0.5F)), 3, spread);
    Stream stream(5);
    ranker.initialize(stream);
    for (std::size_t c = 0; c < 3; ++c) {
      double squares = 0.0;
      for (float w : ranker.model(c).parameters()) squares += std::pow(static_cast<double>(w) - 0.5, 2);
      CHECK_THAT(std::sqrt(squares), Catch::Matchers::WithinRel(spread, 1e-4));
      for (std::size_t d = 0; d < c; ++d) CHECK_FALSE(same_bits(ranker.model(c), ranker.model(d)));
    }
  }
  ClusteredRanker same(LinearRanker(20), 3, 0.0);
  Stream stream(5);
  same.initialize(stream);
  for (std::size_t c = 0; c < 3; ++c) CHECK(std::ranges::count(same.model(c).parameters(), 0.0F) == 20);
}

TEST_CASE("Models with a random start are drawn one by one; a single model starts like the plain ranker") {
  NeuralRanker plain(5, {.hidden = 3});
  Stream one(9);
  plain.initialize(one);
  for (std::size_t k : {1U, 3U}) {
    ClusteredRanker ranker(NeuralRanker(5, {.hidden = 3}), k);
    Stream stream(9);
    ranker.initialize(stream);
    CHECK(same_bits(ranker.model(0), plain));
    for (std::size_t c = 1; c < k; ++c) CHECK_FALSE(same_bits(ranker.model(c), plain));
    auto const drawn = ranker;
    ranker.initialize(stream);  // trained models stay
    CHECK(same_bits(ranker, drawn));
  }
}

TEST_CASE("The score is the mean of the models' scores") {
  auto const data = toy_dataset(3);
  ClusteredRanker ranker(LinearRanker(5), 2);
  std::ranges::fill(ranker.model(0).parameters(), 1.0F);
  std::ranges::fill(ranker.model(1).parameters(), 2.0F);
  LinearRanker const mean(std::vector<float>(5, 1.5F));
  std::vector<float> got(data[0].document_count());
  std::vector<float> expected(got.size());
  ranker.score(data[0], got);
  mean.score(data[0], expected);
  for (std::size_t d = 0; d < got.size(); ++d) CHECK_THAT(got[d], Catch::Matchers::WithinRel(expected[d], 1e-5F));
}

TEST_CASE("No cluster, and a spread that is negative or not finite, are errors; shapes compare models and sizes") {
  CHECK_THROWS_WITH(ClusteredRanker(LinearRanker(5), 0), "ClusteredRanker: required at least one cluster, got 0");
  CHECK_THROWS_WITH(ClusteredRanker(LinearRanker(5), 2, -1.0),
                    "ClusteredRanker: required a finite spread >= 0, got -1");
  ClusteredRanker const two(LinearRanker(5), 2);
  CHECK(two.minimum_clients() == 2);
  CHECK(two.same_shape(ClusteredRanker(LinearRanker(5), 2, 1.0)));
  CHECK_FALSE(two.same_shape(ClusteredRanker(LinearRanker(5), 3)));
  CHECK_FALSE(two.same_shape(ClusteredRanker(LinearRanker(6), 2)));
  CHECK_FALSE(ClusteredRanker<LinearRanker>().consistent());
}
