#include <fltr/formats/lightgbm_columns.hpp>

#include <optional>
#include <stdexcept>

#include "support/catch.hpp"
#include "support/forests.hpp"

using fltr::Forest;
using fltr::from_lightgbm_columns;
using fltr::lightgbm_first_column;
using fltr::LightGbmModel;
using fltr::to_lightgbm_columns;
using fltr::testing::stump;

TEST_CASE("to_lightgbm_columns and from_lightgbm_columns are inverse") {
  Forest const forest({stump(0, 1, 2), stump(2, 3, 5)}, 3);
  Forest const shifted = to_lightgbm_columns(forest, 1);
  CHECK(shifted.feature_count() == 4);
  CHECK(shifted.trees()[0].feature[0] == 1);
  CHECK(shifted.trees()[1].feature[0] == 3);
  CHECK(to_lightgbm_columns(forest, 0) == forest);
  CHECK(from_lightgbm_columns(shifted, 1, 3) == forest);
  CHECK(from_lightgbm_columns(forest, 0, 5).feature_count() == 5);
}

TEST_CASE("from_lightgbm_columns refuses a split before the first feature or behind the last") {
  Forest const forest({stump(0, 1, 2), stump(2, 3, 5)}, 3);
  CHECK_THROWS_WITH(from_lightgbm_columns(forest, 1, 3),
                    "from_lightgbm_columns: required splits on columns from 1, got 0");
  CHECK_THROWS_AS(from_lightgbm_columns(forest, 0, 2), std::invalid_argument);
}

TEST_CASE("The column of the first feature is derived from the number of columns and the use of column 0") {
  LightGbmModel const unused(Forest({stump(2, 1, 2)}, 4));
  CHECK(lightgbm_first_column(unused, 3) == 1);
  CHECK(lightgbm_first_column(LightGbmModel(Forest({stump(2, 1, 2), stump(0, 1, 2)}, 3)), 3) == 0);
  LightGbmModel known(Forest({stump(2, 1, 2)}, 3));
  known.feature_infos[0] = "[0:1]";  // column 0 had values in the training data
  CHECK(lightgbm_first_column(known, 3) == 0);
  CHECK(lightgbm_first_column(known, 5) == 0);
}

TEST_CASE("A model that does not determine the column of its first feature is refused") {
  CHECK_THROWS_WITH(lightgbm_first_column(LightGbmModel(Forest({stump(2, 1, 2)}, 3)), 3),
                    "3 columns in the model, 3 features in the data: the column of the first feature may be 0 or 1, "
                    "because the model does not use column 0");
  LightGbmModel known(Forest({stump(2, 1, 2)}, 4));
  known.feature_infos[0] = "[0:1]";
  auto const reason =
      "4 columns in the model, 3 features in the data: the model uses column 0, so its first feature is in column 0, "
      "and "
      "it has one column too many";
  CHECK_THROWS_WITH(lightgbm_first_column(known, 3), reason);
  CHECK_THROWS_WITH(lightgbm_first_column(LightGbmModel(Forest({stump(0, 1, 2)}, 4)), 3), reason);
}

TEST_CASE("A given column of the first feature replaces the rule and is checked") {
  LightGbmModel known(Forest({stump(2, 1, 2)}, 4));
  known.feature_infos[0] = "[0:1]";
  CHECK(lightgbm_first_column(known, 3, 1) == 1);
  CHECK(lightgbm_first_column(known, 4, 0) == 0);
  CHECK_THROWS_WITH(lightgbm_first_column(known, 3, 0),
                    "4 columns in the model, 3 features in the data: too many columns "
                    "if the first feature is in column 0");
  CHECK_THROWS_WITH(
      lightgbm_first_column(LightGbmModel(Forest({stump(0, 1, 2)}, 4)), 3, 1),
      ContainsSubstring("the model splits on column 0, which is empty if the first feature is in column 1"));
}
