#include <fltr/metrics/dcg.hpp>

#include <vector>

#include "support/catch.hpp"

namespace {

using fltr::Dcg;
using fltr::Gain;
using Grades = std::vector<fltr::Grade>;

}  // namespace

TEST_CASE("DCG by hand") {
  Grades const list{2, 0, 1};
  CHECK(Dcg{}.measure({list, {}}) == Approx(3.5).epsilon(2e-15));
  CHECK(Dcg{.cutoff = 1}.measure({list, {}}) == 3.0);
  CHECK(Dcg{.gain = Gain::linear}.measure({list, {}}) == Approx(2.5).epsilon(2e-15));
  CHECK(Dcg{}.measure({{}, {}}) == 0.0);
}

TEST_CASE("DCG: cutoff and gain") {
  Grades const list{2, 0, 1};
  CHECK(Dcg{.cutoff = 0}.measure({list, {}}) == Approx(3.0 + 0.5).epsilon(1e-15));
  CHECK(Dcg{.cutoff = 2}.measure({list, {}}) == 3.0);
  CHECK(Dcg{.cutoff = 10, .gain = Gain::linear}.measure({list, {}}) == Approx(2.0 + 0.5).epsilon(1e-15));
  CHECK(Dcg{.cutoff = 10, .gain = Gain::linear}.measure({{}, {}}) == 0.0);
}
