#include <fltr/data/make_dataset.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <stdexcept>
#include <vector>

#include <fltr/core/tensor.hpp>

#include "support/catch.hpp"

namespace {

using fltr::Dataset;
using fltr::Grade;

}  // namespace

TEST_CASE("make_dataset copies an xtensor matrix and pads its rows with zeros") {
  fltr::Matrix<double> const matrix{{1.5, 2, 3}, {4, 5, 6}, {7, 8, 9}};
  std::vector<Grade> const grades{2, 0, 1};
  std::vector<std::size_t> const sizes{1, 0, 2};
  Dataset const data = fltr::make_dataset(matrix, grades, sizes);
  REQUIRE(data.size() == 3);
  CHECK(data.feature_count() == 3);
  CHECK(data[0].row(0)[0] == 1.5F);
  CHECK(data[1].document_count() == 0);
  CHECK(data[2].row(1)[2] == 9.0F);
  CHECK(std::ranges::equal(data[2].grades(), std::vector<Grade>{0, 1}));
  CHECK(data.qid(0) == "1");
  CHECK(data.qid(2) == "3");
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t k = 3; k < 8; ++k) CHECK(data[0].rows()[i * 8 + k] == 0.0F);
}

TEST_CASE("make_dataset throws for inconsistent sizes, grades above 30 and features that are not finite") {
  fltr::Matrix<float> matrix{{1, 2}, {3, 4}, {5, 6}};
  std::vector<Grade> grades{0, 1, 2};
  std::vector<std::size_t> sizes{1, 2};
  REQUIRE_NOTHROW(fltr::make_dataset(matrix, grades, sizes));
  SECTION("too few grades") { grades.pop_back(); }
  SECTION("too many grades") { grades.push_back(0); }
  SECTION("sizes with a sum that is too small") { sizes = {1, 1}; }
  SECTION("sizes with a sum that is too large") { sizes = {2, 2}; }
  SECTION("sizes whose sum overflows") { sizes = {2, std::numeric_limits<std::size_t>::max(), 2}; }
  SECTION("a grade of 31") { grades[1] = 31; }
  SECTION("a feature of NaN") { matrix(1, 1) = std::nanf(""); }
  SECTION("an infinite feature") { matrix(2, 0) = -std::numeric_limits<float>::infinity(); }
  CHECK_THROWS_AS(fltr::make_dataset(matrix, grades, sizes), std::invalid_argument);
}

TEST_CASE("make_dataset throws for a double beyond the range of float") {
  fltr::Matrix<double> const matrix{{1e39}};
  std::vector<Grade> const grades{0};
  std::vector<std::size_t> const sizes{1};
  CHECK_THROWS_WITH(fltr::make_dataset(matrix, grades, sizes),
                    "make_dataset: required finite features in row 0, column 0 (counted from 0), got inf");
}
