#include "support/given_models.hpp"

#include <string>
#include <vector>

#include <fltr/io/lightgbm_reader.hpp>
#include <fltr/io/lightgbm_writer.hpp>

#include "support/catch.hpp"
#include "support/forests.hpp"
#include "support/temporary.hpp"

namespace {

using namespace fltr;
using namespace fltr::examples;
using fltr::testing::stump;

}  // namespace

TEST_CASE("features of a model are counted from its base") {
  Forest const forest({stump(0, 1, 2), stump(2, 3, 5)}, 3);
  Forest const counted = with_base(forest, 1);
  CHECK(counted.feature_count() == 4);
  CHECK(counted.trees()[1].feature[0] == 3);
  CHECK(with_base(forest, 0) == forest);

  fltr::testing::TemporaryFolder const folder;
  auto const a = (folder.path() / "a.txt").string();
  auto const b = (folder.path() / "b.txt").string();
  write_lightgbm_model(a, LightGbmModel(counted));
  write_lightgbm_model(b, LightGbmModel(with_base(Forest({stump(1, -1, 1)}, 2), 1)));

  GivenModels const given({a, b}, 1);
  auto const forests = given.forests(5);
  REQUIRE(forests.size() == 2);
  CHECK(forests[1].client == 1);
  std::vector<float> const row{1, 0, 1, 9, 9};
  CHECK(forests[0].message.feature_count() == 5);
  CHECK(forests[0].message.predict(std::span<float const>(row)) == 2 + 5);
  CHECK(forests[1].message.predict(std::span<float const>(row)) == -1);

  auto const merged = folder.path() / "merged.txt";
  std::vector<double> const weights{.25, .75};
  given.write_merged(merged, weights);
  std::vector<double> const shifted{0, 1, 0, 1};
  CHECK(read_lightgbm_model(merged).forest.predict(std::span<double const>(shifted)) == .25 * 7 - .75);
}

TEST_CASE("a model for other columns than the data has is an error") {
  fltr::testing::TemporaryFolder const folder;
  auto const file = (folder.path() / "a.txt").string();
  write_lightgbm_model(file, LightGbmModel(Forest({stump(0, 1, 2)}, 4)));
  CHECK_THROWS_WITH(GivenModels({file}, 0).forests(3), ContainsSubstring("4 columns, and the data 3 features; see"));
  CHECK_THROWS_WITH(GivenModels({file}, 1).forests(3), ContainsSubstring("asks for column 0"));
  CHECK_THROWS_WITH(GivenModels({file}, 0).forests(2), ContainsSubstring("4 columns, and the data 2 features"));
}
