#include <fltr/data/detail/ideal_list.hpp>

#include <vector>

#include "support/catch.hpp"

using fltr::Grade;

TEST_CASE("write_ideal_list writes the grades from the highest to the lowest") {
  std::vector<Grade> ideal(6);
  fltr::detail::write_ideal_list("here", std::vector<Grade>{0, 3, 30, 3, 1, 0}, ideal);
  CHECK(ideal == std::vector<Grade>{30, 3, 3, 1, 0, 0});
  CHECK_NOTHROW(fltr::detail::write_ideal_list("here", {}, {}));
}

TEST_CASE("write_ideal_list throws for a grade above 30, with the name of the caller") {
  std::vector<Grade> ideal(1);
  CHECK_THROWS_WITH(fltr::detail::write_ideal_list("here", std::vector<Grade>{31}, ideal),
                    "here: required grades of 0 to 30, got 31");
}
