#include <fltr/metrics/dcg.hpp>

#include <cmath>
#include <cstddef>
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

TEST_CASE("DCG: a document at rank r counts 1 / log2(r + 1), also far down the list") {
  for (std::size_t const rank : {1U, 63U, 64U, 65U, 66U, 200U}) {
    Grades list(200);
    list[rank - 1] = 1;
    CHECK(Dcg{.cutoff = 0}.measure({list, {}}) == Approx(1.0 / std::log2(static_cast<double>(rank) + 1.0)));
  }
}
