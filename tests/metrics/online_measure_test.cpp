#include <fltr/metrics/online_measure.hpp>

#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>

#include <fltr/core/random.hpp>

#include "support/catch.hpp"

namespace {

using fltr::OnlineMeasure;
using fltr::OnlineTime;

}  // namespace

TEST_CASE("The online measure of a constant quality is a geometric series") {
  OnlineMeasure online;
  CHECK(online.value() == 0.0);
  for (int t = 0; t < 10'000; ++t) online.add(0.8, 4000);
  // .8 (1 - .9995^10000) / (1 - .9995)
  CHECK(online.value() == Approx(1589.23).margin(0.005));
  CHECK(online.value() == Approx(0.8 * (1 - std::pow(0.9995, 10'000)) / (1 - 0.9995)).epsilon(1e-11));
}

TEST_CASE("By rounds: the mean of round t counts with discount^t") {
  OnlineMeasure online(0.5);
  online.add(1.0, 3);
  online.add(0.0, 1000);
  online.add(0.4, 1);
  CHECK(online.value() == Approx(1.0 + 0.25 * 0.4).epsilon(1e-15));
}

TEST_CASE("By queries: every list is one step later than the list before it") {
  fltr::Stream stream(41);
  for (double const discount : {0.9995, 0.9, 1.0}) {
    OnlineMeasure online(discount, OnlineTime::queries);
    double naive = 0.0;
    double factor = 1.0;
    for (int round = 0; round < 50; ++round) {
      double const mean = stream.uniform();
      auto const lists = std::uint64_t{stream.below(40)};
      for (std::uint64_t i = 0; i < lists; ++i) {
        naive += factor * mean;
        factor *= discount;
      }
      online.add(lists > 0 ? mean : 0.0, lists);
    }
    CHECK(online.value() == Approx(naive).epsilon(1e-11));
  }
}

TEST_CASE("With one list per round both kinds of time agree") {
  OnlineMeasure rounds(0.99);
  OnlineMeasure queries(0.99, OnlineTime::queries);
  for (int t = 0; t < 100; ++t) {
    rounds.add(0.01 * t, 1);
    queries.add(0.01 * t, 1);
  }
  CHECK(rounds.value() == Approx(queries.value()).epsilon(1e-12));
}

TEST_CASE("The discount is in (0, 1]") {
  CHECK_NOTHROW(OnlineMeasure(1.0));
  for (double const bad : {0.0, -0.5, 1.0001, std::numeric_limits<double>::quiet_NaN()})
    CHECK_THROWS_AS(OnlineMeasure(bad), std::invalid_argument);
  CHECK_THROWS_WITH(OnlineMeasure(2.0), "OnlineMeasure: required a discount in (0, 1], got 2");
}

TEST_CASE("By rounds: bit-equal to adding weight * mean and multiplying the weight by the discount each round") {
  fltr::Stream stream(43);
  OnlineMeasure online;
  double expected = 0.0;
  double weight = 1.0;
  for (int round = 0; round < 1000; ++round) {
    bool const lists = stream.uniform() < 0.8;  // a round without lists advances the discount only
    double const mean = lists ? stream.uniform() : 0.0;
    if (lists) expected += weight * mean;
    weight *= 0.9995;
    online.add(mean, lists ? 10 : 0);
    REQUIRE(online.value() == expected);
  }
}
