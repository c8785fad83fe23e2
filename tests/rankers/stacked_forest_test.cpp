#include <fltr/rankers/stacked_forest.hpp>

#include "support/catch.hpp"

using namespace fltr;

TEST_CASE(
    "A StackedForest is consistent only if the stacked forest has the documents' features and the appended scores") {
  CHECK(StackedForest{AppendedScores({Forest(2)}, 2), Forest(3)}.consistent());
  CHECK_FALSE(StackedForest{AppendedScores({Forest(2)}, 2), Forest(2)}.consistent());
  CHECK_FALSE(StackedForest{AppendedScores({Forest(2)}, 2), Forest(4)}.consistent());
}
