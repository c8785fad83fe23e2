#include <fltr/data/ideal_list.hpp>

#include <vector>

#include "support/catch.hpp"

using fltr::Grade;

TEST_CASE("an ideal list has the same grades from the highest to the lowest") {
  std::vector<Grade> ideal(6);
  fltr::write_ideal_list("here", std::vector<Grade>{0, 3, 30, 3, 1, 0}, ideal);
  CHECK(ideal == std::vector<Grade>{30, 3, 3, 1, 0, 0});
  CHECK_NOTHROW(fltr::write_ideal_list("here", {}, {}));
}

TEST_CASE("grades above 30 are refused in the name of the caller") {
  std::vector<Grade> ideal(1);
  CHECK_THROWS_WITH(fltr::write_ideal_list("here", std::vector<Grade>{31}, ideal),
                    "here: required grades of 0 to 30, got 31");
}
