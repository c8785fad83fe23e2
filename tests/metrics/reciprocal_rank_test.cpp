#include <fltr/metrics/reciprocal_rank.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <vector>

#include <fltr/click_models/cascade.hpp>

#include "support/catch.hpp"

namespace {

using fltr::EmptyQuery;
using fltr::ExpectedMaxRr;
using fltr::ExpectedReciprocalRank;
using fltr::Grade;
using fltr::MaxRr;
using fltr::ReciprocalRank;
using Grades = std::vector<Grade>;

}  // namespace

TEST_CASE("reciprocal rank of the first relevant document") {
  Grades const list{0, 0, 1, 2};
  Grades const ideal{2, 1, 0, 0};
  CHECK(ReciprocalRank{}.measure({list, ideal}).value() == Approx(1.0 / 3.0).epsilon(1e-15));
  CHECK(ReciprocalRank{.relevant_from = 2}.measure({list, ideal}) == 0.25);
  CHECK(ReciprocalRank{.cutoff = 2}.measure({list, ideal}) == 0.0);
  CHECK(ReciprocalRank{.cutoff = 0, .relevant_from = 2}.measure({list, ideal}) == 0.25);
  CHECK(ReciprocalRank{.relevant_from = 3}.measure({list, ideal}) == std::nullopt);
  CHECK(ReciprocalRank{.relevant_from = 3, .empty = EmptyQuery::zero}.measure({list, ideal}) == 0.0);
  CHECK(ReciprocalRank{}.measure({{}, {}}) == std::nullopt);
}

TEST_CASE("MaxRR is 1 / rank of the highest click") {
  CHECK(MaxRr{}.measure({Grades{0, 1, 0, 1}, {}}) == 0.5);
  CHECK(MaxRr{}.measure({Grades{1, 1}, {}}) == 1.0);
  CHECK(MaxRr{}.measure({Grades{0, 0}, {}}) == 0.0);
  CHECK(MaxRr{.cutoff = 2}.measure({Grades{0, 0, 1}, {}}) == 0.0);
  CHECK(MaxRr{}.measure({{}, {}}) == 0.0);
}

TEST_CASE("expected MaxRR by hand") {
  ExpectedMaxRr const metric{.click_probability = {0.05, 0.5, 0.95}};
  CHECK(metric.measure({Grades{2, 0, 1}, {}}) == Approx(0.95 + 0.05 * 0.05 / 2 + 0.05 * 0.95 * 0.5 / 3).epsilon(1e-15));
  CHECK(metric.measure({Grades{0}, {}}) == 0.05);
  CHECK(metric.measure({{}, {}}) == 0.0);
  ExpectedMaxRr const first{.click_probability = {0.05, 0.5, 0.95}, .cutoff = 1};
  CHECK(first.measure({Grades{1, 2}, {}}) == 0.5);
  CHECK_THROWS_AS(metric.measure({Grades{0, 3}, {}}), std::invalid_argument);
}

TEST_CASE("expected MaxRR is the mean of MaxRR over the clicks of a cascade model") {
  auto const users = fltr::CascadeModel::informational(3);
  ExpectedMaxRr const metric{.click_probability = users.click_probability};
  fltr::Stream stream(31);
  for (auto const& list : {Grades{0, 1, 2}, Grades{0, 0, 0, 0}, Grades{2, 1, 0, 0, 0, 1}}) {
    std::vector<std::uint8_t> clicks(list.size());
    double sum = 0.0;
    double squares = 0.0;
    double const n = 50'000;
    for (int i = 0; i < 50'000; ++i) {
      users.click(list, clicks, stream);
      double const value = MaxRr{}.measure({clicks, {}});
      sum += value;
      squares += value * value;
    }
    double const mean = sum / n;
    double const standard_error = std::sqrt((squares / n - mean * mean) / n);
    CHECK(std::abs(mean - metric.measure({list, {}})) < 5 * standard_error);
  }
}

TEST_CASE("ERR by hand") {
  // Stops with (2^g - 1) / 16: 7/16, 3/16, 15/16.
  Grades const list{3, 2, 4};
  Grades const ideal{4, 3, 2};
  double const expected = 7.0 / 16 + 9.0 / 16 * (3.0 / 16) / 2 + 9.0 / 16 * (13.0 / 16) * (15.0 / 16) / 3;
  CHECK(ExpectedReciprocalRank{}.measure({list, ideal}).value() == Approx(expected).epsilon(1e-15));
  CHECK(ExpectedReciprocalRank{.cutoff = 1}.measure({list, ideal}) == 7.0 / 16);
  CHECK(ExpectedReciprocalRank{.cutoff = 0}.measure({list, ideal}).value() == Approx(expected).epsilon(1e-15));
  // Two grades: half of the users stop at a relevant document.
  Grades const binary{0, 1};
  Grades const sorted{1, 0};
  CHECK(ExpectedReciprocalRank{.highest_grade = 1}.measure({binary, sorted}) == 0.25);
}

TEST_CASE("ERR: conventions and errors") {
  Grades const none{0, 0};
  CHECK(ExpectedReciprocalRank{}.measure({none, none}) == 0.0);
  CHECK(ExpectedReciprocalRank{.empty = EmptyQuery::skip}.measure({none, none}) == std::nullopt);
  Grades const high{5};
  CHECK_THROWS_WITH(ExpectedReciprocalRank{}.measure({high, high}),
                    "ExpectedReciprocalRank: required grades up to highest_grade, got 5");
}
