#include <fltr/metrics/max_rr.hpp>

#include <vector>

#include "support/catch.hpp"

namespace {

using fltr::MaxRr;
using Grades = std::vector<fltr::Grade>;

}  // namespace

TEST_CASE("MaxRR is 1 / rank of the first click") {
  CHECK(MaxRr{}.measure({Grades{0, 1, 0, 1}, {}}) == 0.5);
  CHECK(MaxRr{}.measure({Grades{1, 1}, {}}) == 1.0);
  CHECK(MaxRr{}.measure({Grades{0, 0}, {}}) == 0.0);
  CHECK(MaxRr{.cutoff = 2}.measure({Grades{0, 0, 1}, {}}) == 0.0);
  CHECK(MaxRr{}.measure({{}, {}}) == 0.0);
}
