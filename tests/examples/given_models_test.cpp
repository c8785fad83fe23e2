#include "support/given_models.hpp"

#include <optional>
#include <string>
#include <vector>

#include <fltr/formats/lightgbm_columns.hpp>
#include <fltr/formats/lightgbm_reader.hpp>
#include <fltr/formats/lightgbm_writer.hpp>

#include "support/catch.hpp"
#include "support/forests.hpp"
#include "support/temporary.hpp"

namespace {

using namespace fltr;
using namespace fltr::examples;
using fltr::testing::stump;

}  // namespace

TEST_CASE("GivenModels reads models whose first feature is in column 1") {
  Forest const forest({stump(0, 1, 2), stump(2, 3, 5)}, 3);
  Forest const counted = to_lightgbm_columns(forest, 1);

  fltr::testing::TemporaryFolder const folder;
  auto const a = (folder.path() / "a.txt").string();
  auto const b = (folder.path() / "b.txt").string();
  write_lightgbm_model(a, LightGbmModel(counted));
  write_lightgbm_model(b, LightGbmModel(to_lightgbm_columns(Forest({stump(1, -1, 1)}, 2), 1)));

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

TEST_CASE("A model with more columns than the data has features is refused") {
  fltr::testing::TemporaryFolder const folder;
  auto const file = (folder.path() / "a.txt").string();
  write_lightgbm_model(file, LightGbmModel(Forest({stump(0, 1, 2)}, 4)));
  CHECK_THROWS_WITH(GivenModels({file}, 3, 0),
                    ContainsSubstring("a.txt: 4 columns in the model, 3 features in the data: too many columns") &&
                        ContainsSubstring("; --model-base sets the column of the first feature"));
  CHECK_THROWS_WITH(GivenModels({file}, 3, 1), ContainsSubstring("the model splits on column 0"));
  CHECK_THROWS_WITH(GivenModels({file}, 2, 1), ContainsSubstring("4 columns in the model, 2 features in the data"));
}

TEST_CASE("A model with scores beyond the range of float is refused") {
  fltr::testing::TemporaryFolder const folder;
  auto const file = (folder.path() / "a.txt").string();
  write_lightgbm_model(file, LightGbmModel(Forest({stump(0, 1.7e308, -1.7e308)}, 3)));
  CHECK_THROWS_WITH(GivenModels({file}, 3, 0), ContainsSubstring("has scores beyond the range of float"));
}

TEST_CASE("Models whose first features are in different columns can be combined, but not merged by column") {
  fltr::testing::TemporaryFolder const folder;
  auto const a = (folder.path() / "a.txt").string();
  auto const b = (folder.path() / "b.txt").string();
  LightGbmModel known(Forest({stump(2, 1, 2)}, 3));
  known.feature_infos[0] = "[0:1]";  // column 0 had values in the training data: the first feature is in column 0
  write_lightgbm_model(a, known);
  write_lightgbm_model(b, LightGbmModel(Forest({stump(2, 1, 2)}, 4)));  // one column too many: column 0 is empty
  GivenModels const both({a, b}, 3, std::nullopt);
  CHECK(both.forests()[0].message.trees()[0].feature[0] == 2);
  CHECK(both.forests()[1].message.trees()[0].feature[0] == 1);
  std::vector<double> const weights{1, 1};
  CHECK_THROWS_WITH(both.merged(weights, SameFeature::by_column),
                    ContainsSubstring("a.txt has its first feature in column 0, "));
}

TEST_CASE("Feature names that contradict the columns of the data are refused") {
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

  // The same features, from column 0 in one model and from column 1 in the other, can be merged by name.
  write(0, {"x", "y", "z"}, 2);
  write(1, {"empty", "x", "y", "z"}, 3);
  auto const merged = by_data();
  CHECK(merged.feature_names == std::vector<std::string>{"x", "y", "z", "empty"});
  CHECK(merged.forest.trees()[0].feature[0] == 2);
  CHECK(merged.forest.trees()[1].feature[0] == 2);
  CHECK(merged.forest.trees()[1].leaf[1] == 3);

  write(1, {"x", "z", "y"}, 1);
  CHECK_THROWS_WITH(by_data(), ContainsSubstring("a.txt, 'z' is feature 2 of ") &&
                                   ContainsSubstring("--data has no feature names to match: give --weights"));
  // Without data, the names alone decide.
  auto const freely = merge_models(files, weights, SameFeature::by_name);
  CHECK(freely.feature_names == std::vector<std::string>{"x", "y", "z"});
  CHECK(freely.forest.trees()[1].feature[0] == 2);
  CHECK_THROWS_WITH(merge_models(files, weights, SameFeature::by_column),
                    ContainsSubstring("'y' as the name of column 1, got 'z'; --match sets"));
}
