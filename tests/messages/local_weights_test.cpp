#include <fltr/messages/local_weights.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include <fltr/concepts/message.hpp>
#include <fltr/rankers/linear_ranker.hpp>

#include "support/catch.hpp"

namespace {

using fltr::LinearRanker;
using fltr::LocalWeights;
using fltr::WeightSum;

/// Keeps its last parameter at the client.
struct Personal {
  std::vector<float> weights{1, 2, 3};
  std::span<float> parameters() { return weights; }
  std::span<float const> parameters() const { return weights; }
  std::span<float> shared() { return parameters().first(2); }
  std::span<float const> shared() const { return parameters().first(2); }
};

}  // namespace

TEST_CASE(
    "LocalWeights fit if they have the ranker's size, finite values, and at most the interactions that were asked "
    "for") {
  LinearRanker const ranker(3);
  LocalWeights const good{{1, -2, 0}, 4};
  CHECK(good.fits(ranker, 4));
  CHECK(good.fits(ranker, 5));
  CHECK(!good.fits(ranker, 3));
  CHECK(!LocalWeights{{1, 2, 3}, 0xFFFFFFFFU}.fits(ranker, 4));
  CHECK(LocalWeights{{0, 0, 0}, 0}.fits(ranker, 4));
  CHECK(LocalWeights{{std::numeric_limits<float>::max(), std::numeric_limits<float>::denorm_min(), -0.0F}, 1}.fits(
      ranker, 4));

  CHECK(!LocalWeights{{1, 2}, 4}.fits(ranker, 4));
  CHECK(!LocalWeights{{1, 2, 3, 4}, 4}.fits(ranker, 4));
  CHECK(!LocalWeights{}.fits(ranker, 4));
  float const inf = std::numeric_limits<float>::infinity();
  for (float const bad : {std::nanf(""), inf, -inf})
    for (std::size_t place = 0; place < 3; ++place) {
      LocalWeights message = good;
      message.values[place] = bad;
      CHECK(!message.fits(ranker, 4));
    }
}

TEST_CASE("LocalWeights have as many values as the ranker has shared parameters") {
  Personal const ranker;
  CHECK(LocalWeights{{1, 2}, 1}.fits(ranker, 1));
  CHECK(!LocalWeights{{1, 2, 3}, 1}.fits(ranker, 1));
  CHECK(fltr::weight_sum_for(ranker).values.size() == 2);
}

TEST_CASE("A WeightSum adds values times interactions") {
  WeightSum sum = fltr::weight_sum_for(LinearRanker(2));
  CHECK(sum.values == std::vector<double>{0, 0});
  sum.add({{1.0F, -2.0F}, 3});
  sum.add({{0.5F, 4.0F}, 1});
  sum.add({{100.0F, 100.0F}, 0});
  CHECK(sum.values == std::vector<double>{3.5, -2.0});
  CHECK(sum.weight == 4.0);
  CHECK(sum.count == 3);

  WeightSum other = fltr::weight_sum_for(LinearRanker(2));
  other.add({{1.0F, 1.0F}, 2});
  sum.merge(other);
  CHECK(sum.values == std::vector<double>{5.5, 0.0});
  CHECK(sum.weight == 6.0);
  CHECK(sum.count == 4);
}

TEST_CASE("A WeightSum adds in double precision") {
  WeightSum sum = fltr::weight_sum_for(LinearRanker(1));
  sum.add({{1e8F}, 1});
  for (int i = 0; i < 1000; ++i) sum.add({{1.0F}, 1});  // in float each would round away
  sum.add({{-1e8F}, 1});
  CHECK(sum.values[0] == 1000.0);
}

TEST_CASE("The largest interactions and values do not overflow a WeightSum") {
  WeightSum sum = fltr::weight_sum_for(LinearRanker(1));
  for (int i = 0; i < 3; ++i) sum.add({{std::numeric_limits<float>::max()}, 0xFFFFFFFFU});
  CHECK(std::isfinite(sum.values[0]));
  CHECK(sum.weight == 3.0 * 4294967295.0);
}

TEST_CASE("LocalWeights satisfy MessageFor and FlatMessage") {
  STATIC_REQUIRE(fltr::Message<LocalWeights>);
  STATIC_REQUIRE(fltr::FlatMessage<LocalWeights>);
  STATIC_REQUIRE(fltr::MessageFor<LocalWeights, LinearRanker>);
}
