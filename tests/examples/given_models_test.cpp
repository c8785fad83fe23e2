#include "support/given_models.hpp"

#include <optional>
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

  GivenModels const given({a, b}, 5, 1);
  auto const forests = given.forests();
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
  CHECK_THROWS_WITH(GivenModels({file}, 3, 0),
                    ContainsSubstring("4 columns, and the data 3 features: too many, unless"));
  CHECK_THROWS_WITH(GivenModels({file}, 3, 1), ContainsSubstring("it asks for column 0"));
  CHECK_THROWS_WITH(GivenModels({file}, 2, 1), ContainsSubstring("4 columns, and the data 2 features"));
}

TEST_CASE("a model tells where its features begin, or is asked for it") {
  fltr::testing::TemporaryFolder const folder;
  auto const file = (folder.path() / "a.txt").string();
  auto const feature = [&](LightGbmModel const& model, std::size_t features) {
    write_lightgbm_model(file, model);
    return GivenModels({file}, features, std::nullopt).forests()[0].message.trees()[0].feature[0];
  };
  CHECK(feature(LightGbmModel(Forest({stump(2, 1, 2)}, 4)), 3) == 1);  // one column too many: the first is empty
  CHECK(feature(LightGbmModel(Forest({stump(2, 1, 2), stump(0, 1, 2)}, 3)), 3) == 2);
  LightGbmModel known(Forest({stump(2, 1, 2)}, 3));
  known.feature_infos[0] = "[0:1]";
  CHECK(feature(known, 5) == 2);
  CHECK_THROWS_WITH(feature(LightGbmModel(Forest({stump(2, 1, 2)}, 3)), 3),
                    ContainsSubstring("3 columns, and the data 3 features: is the first feature in column 0 or 1?"));

  // Two models of different bases can be combined, but are no columns of one file.
  auto const other = (folder.path() / "b.txt").string();
  write_lightgbm_model(file, known);
  write_lightgbm_model(other, LightGbmModel(Forest({stump(2, 1, 2)}, 4)));
  GivenModels const both({file, other}, 3, std::nullopt);
  CHECK(both.forests()[0].message.trees()[0].feature[0] == 2);
  CHECK(both.forests()[1].message.trees()[0].feature[0] == 1);
  CHECK_THROWS_WITH(both.write_merged(folder.path() / "c.txt", std::vector<double>{1, 1}),
                    ContainsSubstring("a.txt counts features from column 0, and "));
}

TEST_CASE("a column too many is the empty one before the first feature, or an error") {
  fltr::testing::TemporaryFolder const folder;
  auto const file = (folder.path() / "a.txt").string();
  auto const first_feature = [&](LightGbmModel const& model, std::optional<std::size_t> base = std::nullopt) {
    write_lightgbm_model(file, model);
    return GivenModels({file}, 3, base).forests()[0].message.trees()[0].feature[0];
  };
  LightGbmModel known(Forest({stump(2, 1, 2)}, 4));
  CHECK(first_feature(known) == 1);
  known.feature_infos[0] = "[0:1]";  // it had values when the model was trained
  std::string const sentence =
      "4 columns, and the data 3 features: column 0 is in use, so features are counted from it";
  CHECK_THROWS_WITH(first_feature(known), ContainsSubstring(sentence));
  CHECK_THROWS_WITH(first_feature(LightGbmModel(Forest({stump(0, 1, 2)}, 4))), ContainsSubstring(sentence));
  CHECK(first_feature(known, 1) == 1);
}
