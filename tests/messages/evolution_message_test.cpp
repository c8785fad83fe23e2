#include <fltr/messages/evolution_message.hpp>

#include <limits>

#include <fltr/messages/wire.hpp>
#include <fltr/rankers/linear_ranker.hpp>

#include "support/catch.hpp"

TEST_CASE("An EvolutionMessage fits if it has at most as many numbers as asked for, each in [0, 1]") {
  fltr::LinearRanker const ranker(3);
  using M = fltr::EvolutionMessage;
  CHECK(M{1, {0.0F, 0.5F, 1.0F}}.fits(ranker, 3));
  CHECK(M{1, {}}.fits(ranker, 3));
  CHECK_FALSE(M{1, {0.0F, 0.5F, 1.0F, 1.0F}}.fits(ranker, 3));
  CHECK_FALSE(M{1, {1.5F}}.fits(ranker, 3));
  CHECK_FALSE(M{1, {-0.1F}}.fits(ranker, 3));
  CHECK_FALSE(M{1, {std::numeric_limits<float>::quiet_NaN()}}.fits(ranker, 3));
  CHECK_FALSE(M{1, {std::numeric_limits<float>::infinity()}}.fits(ranker, 3));
  auto const again = fltr::from_bytes<M>(fltr::to_bytes(M{0x123456789ABCDEFULL, {0.25F, 0.75F}}));
  CHECK(again.seed == 0x123456789ABCDEFULL);
  CHECK(again.metrics == std::vector<float>{0.25F, 0.75F});
}

TEST_CASE("Antithetic interactions: the first half, rounded up, uses +noise") {
  CHECK(fltr::positive_interactions(4, true) == 2);
  CHECK(fltr::positive_interactions(5, true) == 3);
  CHECK(fltr::positive_interactions(1, true) == 1);
  CHECK(fltr::positive_interactions(4, false) == 4);
}
