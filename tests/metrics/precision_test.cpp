#include <fltr/metrics/precision.hpp>

#include <vector>

#include "support/catch.hpp"

namespace {

using fltr::Precision;
using Grades = std::vector<fltr::Grade>;

}  // namespace

TEST_CASE("Precision is the fraction of relevant documents in the first ranks") {
  Grades const list{1, 0, 2, 0, 3};
  CHECK(Precision{.cutoff = 1}.measure({list, {}}) == 1.0);
  CHECK(Precision{.cutoff = 2}.measure({list, {}}) == 0.5);
  CHECK(Precision{.cutoff = 5}.measure({list, {}}) == Approx(0.6).epsilon(1e-15));
  CHECK(Precision{.cutoff = 5, .relevant_from = 2}.measure({list, {}}) == Approx(0.4).epsilon(1e-15));
  CHECK(Precision{.cutoff = 0}.measure({list, {}}) == Approx(0.6).epsilon(1e-15));
  CHECK(Precision{.cutoff = 10}.measure({list, {}}) == Approx(0.3).epsilon(1e-15));  // as trec_eval
  CHECK(Precision{.cutoff = 0}.measure({{}, {}}) == 0.0);
  CHECK(Precision{.cutoff = 10}.measure({{}, {}}) == 0.0);
}
