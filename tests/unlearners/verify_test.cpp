#include <fltr/unlearners/verify.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include <fltr/core/random.hpp>
#include <fltr/rankers/linear_ranker.hpp>

#include "support/catch.hpp"
#include "support/toy_dataset.hpp"

using namespace fltr;
using fltr::testing::toy_dataset;

namespace {

using Models = std::vector<std::vector<float>>;

/// Models of 12 normal numbers. `shift`: added to the first number in the second world; `scale`: the length in the
/// second world; `common`: whether the two models of a pair have the same random numbers.
struct Worlds {
  Models first;
  Models second;
  Worlds(std::size_t pairs, double shift, double scale, bool common, std::uint64_t seed) {
    Stream stream(seed);
    for (std::size_t p = 0; p < pairs; ++p) {
      std::vector<float> a(12);
      std::vector<float> b(12);
      for (float& value : a) value = static_cast<float>(stream.normal());
      if (common) b = a;
      for (float& value : b) {
        if (!common) value = static_cast<float>(stream.normal());
        value *= static_cast<float>(scale);
      }
      b[0] += static_cast<float>(shift);
      first.push_back(a);
      second.push_back(b);
    }
  }
};

Leak leak_of(Worlds const& worlds, std::size_t choosing) {
  return leak_advantage(worlds.first, worlds.second, choosing);
}

}  // namespace

TEST_CASE("Models with the same bits in both worlds: the advantage is 0, whatever the distinguisher") {
  auto const leak = leak_of(Worlds(300, 0.0, 1.0, true, 1), 100);
  CHECK(leak.advantage == 0.0);
  CHECK(leak.pairs == 200);
  CHECK(leak.identical == 200);
  CHECK(leak.high == Approx(0.01884).margin(1e-4));  // z^2 / (200 + z^2)
  CHECK(leak.low == Approx(-leak.high));
}

TEST_CASE("Models that differ in the sign of a zero are not identical") {
  Worlds worlds(10, 0.0, 1.0, true, 1);
  worlds.first[9][0] = 0.0F;
  worlds.second[9][0] = -0.0F;
  CHECK(leak_of(worlds, 4).identical == 5);
}

TEST_CASE("A shift in one weight: the advantage of the best rule is 2 Phi(shift / 2) - 1") {
  // For two normal distributions at distance 2 the best rule has an advantage of .683. With 1,000 counted pairs its
  // standard error is below .025 and the trained rule is close to the best one: 600 models for 12 numbers.
  auto const leak = leak_of(Worlds(1300, 2.0, 1.0, false, 2), 300);
  CHECK(leak.advantage > 0.683 - 0.08);
  CHECK(leak.advantage < 0.683 + 0.08);
  CHECK(leak.low < leak.advantage);
  CHECK(leak.high > leak.advantage);
  CHECK(leak.identical == 0);
}

TEST_CASE("A difference in length alone is found, although no weight has another mean") {
  CHECK(leak_of(Worlds(400, 0.0, 3.0, false, 3), 100).low > 0.9);
}

TEST_CASE("Without a difference between the worlds, intervals contain 0 in about 95 of 100 tests") {
  // Choosing among 12 rules by the counted pairs would give an advantage above 0 in most tests.
  int contain = 0;
  double sum = 0.0;
  for (std::uint64_t test = 0; test < 60; ++test) {
    auto const leak = leak_of(Worlds(140, 0.0, 1.0, false, 100 + test), 40);
    contain += leak.low <= 0.0 && leak.high >= 0.0 ? 1 : 0;
    sum += leak.advantage;
  }
  CHECK(contain >= 51);  // Binomial(60, .95): P(fewer than 51) = 7e-4
  // The variance of one advantage is at most 1/2 per pair, so the deviation of the mean is below √(.5 / 6,000) = .0092.
  CHECK(sum / 60 < 0.037);
  CHECK(sum / 60 > -0.037);
}

TEST_CASE("The counted pairs do not influence the distinguisher") {
  Worlds worlds(150, 1.0, 1.0, false, 5);
  auto const whole = leak_of(worlds, 50);
  // Exchanging the worlds of the counted pairs reverses the sign, and nothing else.
  for (std::size_t p = 50; p < 150; ++p) std::swap(worlds.first[p], worlds.second[p]);
  auto const reversed = leak_of(worlds, 50);
  CHECK(reversed.advantage == -whole.advantage);
}

TEST_CASE("leak_advantage refuses too few pairs and models of different sizes") {
  Worlds worlds(10, 0.0, 1.0, false, 6);
  CHECK_THROWS_AS(leak_of(worlds, 1), std::invalid_argument);
  CHECK_THROWS_AS(leak_of(worlds, 10), std::invalid_argument);
  worlds.second[7].pop_back();
  CHECK_THROWS_AS(leak_of(worlds, 5), std::invalid_argument);
  worlds.second.pop_back();
  CHECK_THROWS_AS(leak_of(worlds, 5), std::invalid_argument);
}

TEST_CASE("The distance to retraining is compared with that between retrainings, over pairs of different seeds") {
  auto const data = toy_dataset();
  std::vector<LinearRanker> retrained;
  std::vector<LinearRanker> unlearned;
  for (float const at : {1.0F, 2.0F, 4.0F}) {
    retrained.emplace_back(std::vector{at, 0.0F, 0.0F, 0.0F, 0.0F});
    unlearned.emplace_back(std::vector{at, 0.0F, 0.0F, 0.0F, 3.0F});
  }
  auto const distance =
      distance_to_retraining(std::span<LinearRanker const>(unlearned), std::span<LinearRanker const>(retrained), data);
  CHECK(distance.retrained.value().weights == Approx((1.0 + 3.0 + 2.0) / 3));
  CHECK(distance.retrained->kendall_tau == Approx(1.0));  // the same direction, so the same rankings
  CHECK(distance.retrained->ndcg_change == Approx(0.0).margin(1e-12));
  double const expected = (std::sqrt(1.0 + 9.0) + std::sqrt(9.0 + 9.0) + std::sqrt(4.0 + 9.0)) / 3;
  CHECK(distance.unlearned.weights == Approx(expected));
  CHECK(distance.unlearned.kendall_tau < 1.0);

  auto const single = distance_to_retraining(std::span<LinearRanker const>(unlearned).first(1),
                                             std::span<LinearRanker const>(retrained).first(1), data);
  CHECK_FALSE(single.retrained);
  CHECK(single.unlearned.weights == Approx(3.0));
  CHECK_THROWS_AS(distance_to_retraining(std::span<LinearRanker const>(unlearned).first(2),
                                         std::span<LinearRanker const>(retrained), data),
                  std::invalid_argument);
}
