#include <fltr/learners/early_stopping.hpp>

#include <limits>

#include "support/catch.hpp"
#include "support/forests.hpp"

using fltr::EarlyStopping;
using fltr::Forest;

TEST_CASE("EarlyStopping remembers the first highest value and stops after `patience` trees without a higher one") {
  EarlyStopping early{.patience = 2};
  early.add(1, 0.5);
  early.add(2, 0.75);
  CHECK_FALSE(early.stops(2));
  early.add(3, 0.75);  // not higher
  CHECK(early.best == 2);
  CHECK_FALSE(early.stops(3));
  early.add(4, std::numeric_limits<double>::quiet_NaN());
  CHECK(early.best == 2);
  CHECK(early.value == 0.75);
  CHECK(early.stops(4));
}

TEST_CASE("EarlyStopping keeps the first `best` trees of a forest") {
  Forest const forest({fltr::testing::stump(0, 1, 2), fltr::testing::stump(1, 3, 4)}, 2);
  EarlyStopping early;
  early.add(1, 0.5);
  early.add(2, 0.25);
  Forest const best = early.best_of(forest);
  REQUIRE(best.trees().size() == 1);
  CHECK(best.trees()[0] == forest.trees()[0]);
  CHECK(best.feature_count() == 2);
}
