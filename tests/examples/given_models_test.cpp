#include "support/given_models.hpp"

#include <fstream>
#include <optional>
#include <string>
#include <system_error>
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

  std::vector<double> const weights{.25, .75};
  std::vector<double> const shifted{0, 1, 0, 1};
  for (SameFeature const same : {SameFeature::by_column, SameFeature::by_name})
    CHECK(given.merged(weights, same).forest.predict(std::span<double const>(shifted)) == .25 * 7 - .75);
}

TEST_CASE("a base is added and taken away") {
  Forest const forest({stump(0, 1, 2), stump(2, 3, 5)}, 3);
  CHECK(without_base(with_base(forest, 1), 1, 3) == forest);
  CHECK(without_base(forest, 0, 5).feature_count() == 5);
}

TEST_CASE("a text model of LightGBM is known by its first line that is not blank") {
  fltr::testing::TemporaryFolder const folder;
  auto const file = folder.path() / "a.txt";
  auto const is_model = [&](char const* text) {
    std::ofstream(file, std::ios::binary) << text;
    return is_lightgbm_model(file);
  };
  CHECK(is_model("tree\nversion=v4\n"));
  CHECK(is_model("tree\r\nversion=v4\r\n"));
  CHECK(is_model("\n\r\ntree\n"));
  CHECK_FALSE(is_model("trees\n"));
  CHECK_FALSE(is_model("\n\n"));
  CHECK_FALSE(is_model(""));
  CHECK_THROWS_WITH(is_lightgbm_model(folder.path()), ContainsSubstring("cannot read " + folder.path().string()));
  CHECK_THROWS_AS(is_lightgbm_model(folder.path() / "missing.txt"), std::system_error);
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

TEST_CASE("a model whose scores are beyond the floats is an error") {
  fltr::testing::TemporaryFolder const folder;
  auto const file = (folder.path() / "a.txt").string();
  write_lightgbm_model(file, LightGbmModel(Forest({stump(0, 1.7e308, -1.7e308)}, 3)));
  CHECK_THROWS_WITH(GivenModels({file}, 3, 0), ContainsSubstring("has scores that no float can hold"));
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
  CHECK_THROWS_WITH(feature(known, 2), ContainsSubstring("3 columns, and the data 2 features: column 0 is in use"));
  CHECK_THROWS_WITH(feature(LightGbmModel(Forest({stump(2, 1, 2)}, 3)), 3),
                    ContainsSubstring("3 columns, and the data 3 features: is the first feature in column 0 or 1?"));

  // Two models of different bases can be combined, but are no columns of one file.
  auto const other = (folder.path() / "b.txt").string();
  write_lightgbm_model(file, known);
  write_lightgbm_model(other, LightGbmModel(Forest({stump(2, 1, 2)}, 4)));
  GivenModels const both({file, other}, 3, std::nullopt);
  CHECK(both.forests()[0].message.trees()[0].feature[0] == 2);
  CHECK(both.forests()[1].message.trees()[0].feature[0] == 1);
  std::vector<double> const weights{1, 1};
  CHECK_THROWS_WITH(both.merged(weights, SameFeature::by_column),
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

TEST_CASE("names of features and columns of the data must not contradict each other") {
  fltr::testing::TemporaryFolder const folder;
  std::vector<std::string> const files{(folder.path() / "a.txt").string(), (folder.path() / "b.txt").string()};
  std::vector<double> const weights{2, 3};
  auto const write = [&](std::size_t i, std::vector<std::string> names, std::uint32_t split) {
    LightGbmModel model(Forest({stump(split, 0, 1)}, names.size()));
    model.feature_names = std::move(names);
    model.feature_infos[0] = model.feature_names[0] == "empty" ? "none" : "[0:1]";
    write_lightgbm_model(files[i], model);
  };
  auto const by_data = [&] { return GivenModels(files, 3, std::nullopt).merged(weights, SameFeature::by_name); };

  // The same features, once from column 0 and once from column 1: one file by name, none by column.
  write(0, {"x", "y", "z"}, 2);
  write(1, {"empty", "x", "y", "z"}, 3);
  auto const merged = by_data();
  CHECK(merged.feature_names == std::vector<std::string>{"x", "y", "z", "empty"});
  CHECK(merged.forest.trees()[0].feature[0] == 2);
  CHECK(merged.forest.trees()[1].feature[0] == 2);
  CHECK(merged.forest.trees()[1].leaf[1] == 3);

  write(1, {"x", "z", "y"}, 1);
  CHECK_THROWS_WITH(by_data(), ContainsSubstring("a.txt, and 'z' feature 2 of ") &&
                                   ContainsSubstring("--data has features by column, not by name: merge by --weights"));
  // Without data, there is nothing to contradict.
  auto const freely = merge_models(files, weights, SameFeature::by_name);
  CHECK(freely.feature_names == std::vector<std::string>{"x", "y", "z"});
  CHECK(freely.forest.trees()[1].feature[0] == 2);
  CHECK_THROWS_WITH(merge_models(files, weights, SameFeature::by_column),
                    ContainsSubstring("'y' as the name of column 1, got 'z'; --match says"));
}
