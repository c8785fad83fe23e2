#include <fltr/aggregators/fed_opt.hpp>

#include <cstddef>
#include <vector>

#include <fltr/aggregators/fed_avg.hpp>
#include <fltr/rankers/linear_ranker.hpp>

#include "support/catch.hpp"

using namespace fltr;

TEST_CASE("FedOpt<Sgd> with learning rate 1 equals FedAvg") {
  LinearRanker one(std::vector<float>{1.0F, -2.0F});
  LinearRanker two = one;
  WeightSum sum{{6.0, 3.0}, 4.0, 2};
  FedAvg{}.aggregate(sum, one);
  Sgd::State state;
  FedOpt<Sgd>{}.aggregate(sum, two, state);
  for (std::size_t i = 0; i < 2; ++i) CHECK(one.parameters()[i] == two.parameters()[i]);
}

TEST_CASE("FedOpt keeps the ranker if no client had an interaction") {
  LinearRanker ranker(std::vector<float>{1.0F, -2.0F});
  Sgd::State state;
  FedOpt<Sgd>{}.aggregate(WeightSum{{9.0, 9.0}, 0.0, 0}, ranker, state);
  CHECK(ranker.parameters()[0] == 1.0F);
}
