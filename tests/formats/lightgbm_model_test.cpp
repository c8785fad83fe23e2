#include <fltr/formats/lightgbm_model.hpp>

#include <cmath>
#include <cstddef>
#include <fstream>
#include <limits>
#include <span>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

#include <fltr/core/error.hpp>
#include <fltr/formats/lightgbm_reader.hpp>
#include <fltr/formats/lightgbm_writer.hpp>
#include <fltr/formats/merge_lightgbm_models.hpp>
#include <fltr/formats/model_file.hpp>

#include "support/catch.hpp"
#include "support/forests.hpp"
#include "support/random_trees.hpp"
#include "support/temporary.hpp"

namespace {

using fltr::Forest;
using fltr::LightGbmModel;
using fltr::parse_lightgbm_model;
using fltr::ParseError;

std::string golden(std::string const& name) { return std::string(FLTR_TEST_DIR) + "/golden/" + name + ".txt"; }

/// tests/golden/lightgbm_scores.txt: what LightGBM itself says.
struct Golden {
  std::vector<double> rows;
  std::size_t features = 0;
  std::vector<double> nan_scores, zero_scores, v3_scores;
};
Golden read_golden() {
  std::ifstream in(golden("lightgbm_scores"));
  in.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
  Golden out;
  std::size_t rows = 0;
  in >> rows >> out.features;
  auto const next = [&] {
    std::string word;
    in >> word;
    return std::stod(word);  // reads "nan" too
  };
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t f = 0; f < out.features; ++f) out.rows.push_back(next());
    out.nan_scores.push_back(next());
    out.zero_scores.push_back(next());
    out.v3_scores.push_back(next());
  }
  REQUIRE(out.nan_scores.size() == 16);
  return out;
}

std::vector<double> scores(Forest const& forest, Golden const& golden) {
  std::vector<double> sums(golden.nan_scores.size());
  forest.score(golden.rows, golden.features, sums);
  return sums;
}

/// A text with a part replaced, without the line tree_sizes, which would be wrong.
std::string with(std::string text, std::string const& old, std::string const& replacement) {
  auto const at = text.find(old);
  REQUIRE(at != std::string::npos);
  text.replace(at, old.size(), replacement);
  auto const sizes = text.find("tree_sizes=");
  if (sizes != std::string::npos) text.erase(sizes, text.find('\n', sizes) + 1 - sizes);
  return text;
}

std::string const small =
    "tree\nversion=v4\nnum_class=1\nnum_tree_per_iteration=1\nlabel_index=0\nmax_feature_idx=1\nobjective=lambdarank\n"
    "feature_names=a b\nfeature_infos=none [0:2.5]\n\n"
    "Tree=0\nnum_leaves=3\nnum_cat=0\nsplit_feature=0 1\nsplit_gain=2 1\nthreshold=0.5 2\ndecision_type=2 2\n"
    "left_child=1 -1\nright_child=-3 -2\nleaf_value=1 10 100\nleaf_count=5 6 7\ninternal_value=0 1\nis_linear=0\n"
    "shrinkage=0.5\n\n\nend of trees\n";

void check_refused(std::string const& text, std::size_t line, std::string const& reason) {
  INFO(text);
  try {
    static_cast<void>(parse_lightgbm_model(text, "model.txt"));
    FAIL_CHECK("accepted");
  } catch (ParseError const& error) {
    CHECK(error.line() == line);
    CHECK_THAT(error.what(), ContainsSubstring(reason) && ContainsSubstring("model.txt:"));
  }
}

}  // namespace

TEST_CASE("Models trained by LightGBM have bit-identical scores in LightGBM and here") {
  auto const expected = read_golden();
  auto const nan_model = fltr::read_lightgbm_model(golden("lightgbm_nan_missing"));
  auto const zero_model = fltr::read_lightgbm_model(golden("lightgbm_zero_missing"));
  CHECK(scores(nan_model.forest, expected) == expected.nan_scores);
  CHECK(scores(zero_model.forest, expected) == expected.zero_scores);
  CHECK(scores(fltr::read_lightgbm_model(golden("lightgbm_v3")).forest, expected) == expected.v3_scores);
  CHECK(nan_model.forest.trees().size() == 5);
  CHECK(nan_model.objective == "lambdarank");
  CHECK(nan_model.has_default_names());
  CHECK(nan_model.forest.trees()[0].shrinkage == 0.3);
  CHECK(nan_model.forest.trees()[0].statistics.inner_count[0] == 600);
}

TEST_CASE("A LightGBM model that is written and read is the same model") {
  for (auto const* name : {"lightgbm_nan_missing", "lightgbm_zero_missing", "lightgbm_v3"}) {
    auto const model = fltr::read_lightgbm_model(golden(name));
    CHECK(parse_lightgbm_model(fltr::lightgbm_text(model)) == model);
  }
  fltr::Stream stream(1);
  std::vector<fltr::Tree> trees;
  for (std::size_t const leaves : {1U, 2U, 300U})
    trees.push_back(fltr::testing::random_tree(stream, {.leaves = leaves}));
  trees[2].leaf = std::vector<double>(300, std::numeric_limits<double>::denorm_min());
  LightGbmModel const ours(Forest(std::move(trees), 6));
  fltr::testing::TemporaryFolder const folder;
  fltr::write_lightgbm_model(folder.path() / "m.txt", ours);
  CHECK(fltr::read_lightgbm_model(folder.path() / "m.txt") == ours);
  CHECK(parse_lightgbm_model(fltr::lightgbm_text(LightGbmModel())) == LightGbmModel());
  CHECK_THROWS_AS(fltr::read_lightgbm_model(folder.path() / "none.txt"), std::system_error);
}

TEST_CASE("tree_sizes are the bytes from one tree to the next") {
  auto const text = fltr::lightgbm_text(fltr::read_lightgbm_model(golden("lightgbm_zero_missing")));
  auto const at = text.find("tree_sizes=") + 11;
  auto const first = std::stoul(text.substr(at));
  CHECK(text.substr(text.find("Tree=0") + first, 7) == "Tree=1\n");
  auto broken = text;
  broken[at] = broken[at] == '1' ? '2' : '1';
  CHECK_THROWS_WITH(parse_lightgbm_model(broken), ContainsSubstring("bytes for tree 0"));
}

TEST_CASE("A tree of one leaf and an averaged model are read") {
  auto const one =
      with(small, small.substr(small.find("num_leaves"), small.find("is_linear") - small.find("num_leaves")),
           "num_leaves=1\nnum_cat=0\nsplit_feature=\nsplit_gain=\nthreshold=\ndecision_type=\nleft_child=\n"
           "right_child=\nleaf_value=0.75\nleaf_weight=\nleaf_count=\ninternal_value=\n");
  std::vector<double> const row{1, 2};
  CHECK(parse_lightgbm_model(one).forest.predict(std::span(row)) == 0.75);

  auto const begin = small.find("Tree=0"), end = small.find("end of trees");
  auto second = small.substr(begin, end - begin);
  second[5] = '1';
  auto averaged = small;
  averaged.insert(end, second).insert(small.find("feature_names"), "average_output\n");
  CHECK(parse_lightgbm_model(small).forest.predict(std::span(row)) == 100.0);
  CHECK(parse_lightgbm_model(averaged).forest.predict(std::span(row)) == 100.0);
}

TEST_CASE("A merged model scores α₁ s₁ + α₂ s₂") {
  auto const expected = read_golden();
  std::vector<LightGbmModel> const models{fltr::read_lightgbm_model(golden("lightgbm_nan_missing")),
                                          fltr::read_lightgbm_model(golden("lightgbm_zero_missing"))};
  std::vector<double> const weights{0.37, 0.63};
  auto const merged = fltr::merge_lightgbm_models(models, weights);
  auto const got = scores(parse_lightgbm_model(fltr::lightgbm_text(merged)).forest, expected);
  for (std::size_t i = 0; i < got.size(); ++i)
    CHECK(std::abs(got[i] - (0.37 * expected.nan_scores[i] + 0.63 * expected.zero_scores[i])) < 1e-14);
  CHECK(merged.feature_names == models[0].feature_names);
  CHECK(merged.feature_infos == models[0].feature_infos);
}

TEST_CASE("Features are merged by name") {
  auto const first = parse_lightgbm_model(small);
  auto const second = parse_lightgbm_model(with(with(small, "feature_names=a b", "feature_names=b c"),
                                                "feature_infos=none [0:2.5]", "feature_infos=[-1:2] [3:4]"));
  std::vector<LightGbmModel> const models{first, second};
  std::vector<double> const weights{2.0, -1.0};
  auto const merged = fltr::merge_lightgbm_models(models, weights);
  CHECK(merged.feature_names == std::vector<std::string>{"a", "b", "c"});
  CHECK(merged.feature_infos == std::vector<std::string>{"none", "[-1:2.5]", "[3:4]"});
  // a = 0, b = 3 is 10 in the first model; b = 3 is 100 in the second
  std::vector<double> const row{0, 3, 0};
  CHECK(merged.forest.predict(std::span(row)) == 2.0 * 10.0 - 100.0);

  auto const second_alone = fltr::merge_lightgbm_models(models, std::vector<double>{0.0, 1.0});
  CHECK(second_alone.feature_names == merged.feature_names);
  CHECK(second_alone.forest.trees().size() == second.forest.trees().size());

  std::vector<LightGbmModel> const mixed{first, LightGbmModel(Forest(3))};
  CHECK_THROWS_WITH(fltr::merge_lightgbm_models(mixed, weights), ContainsSubstring("1 of 2 models without"));
  CHECK_THROWS_AS(fltr::merge_lightgbm_models(models, std::span(weights).first(1)), std::invalid_argument);
  CHECK_THROWS_AS(fltr::merge_lightgbm_models({}, {}), std::invalid_argument);
}

TEST_CASE("Features are merged by column if their names do not contradict") {
  auto const first = parse_lightgbm_model(small);
  std::vector<double> const weights{2.0, -1.0};
  std::vector<double> const row{0, 3, 0};
  auto const merged = [&](LightGbmModel const& a, LightGbmModel const& b) {
    return fltr::merge_lightgbm_models(std::vector{a, b}, weights, fltr::SameFeature::by_column);
  };
  CHECK(merged(first, first).feature_names == std::vector<std::string>{"a", "b"});
  CHECK(merged(first, first).forest.predict(std::span(row)) == 10.0);

  std::vector<std::string> const three{"a", "b", "Column_2"};
  LightGbmModel const unnamed(Forest({fltr::testing::stump(2, 5, 6)}, 3));
  CHECK(merged(first, unnamed).feature_names == three);
  CHECK(merged(unnamed, first).feature_names == three);
  CHECK(merged(first, unnamed).forest.predict(std::span(row)) == 2.0 * 10.0 - 5.0);

  auto const named = [&](std::string const& names) {
    return parse_lightgbm_model(with(small, "feature_names=a b", "feature_names=" + names));
  };
  CHECK_THROWS_WITH(merged(first, named("b a")), ContainsSubstring("'a' as the name of column 0, got 'b'"));
  CHECK_THROWS_WITH(merged(first, named("a c")), ContainsSubstring("'b' as the name of column 1, got 'c'"));
  auto const swapped = named("Column_0 a");
  CHECK_THROWS_WITH(merged(named("a Column_1"), swapped), ContainsSubstring("each name in one column, got 'a' in two"));
}

TEST_CASE("The label column and the type of rows are kept, and models with different label columns are not merged") {
  auto const third = parse_lightgbm_model(with(small, "label_index=0", "label_index=2"));
  CHECK(third.label_index == 2);
  CHECK(parse_lightgbm_model(fltr::lightgbm_text(third)) == third);
  std::vector<double> const weights{0.5, 0.5};
  CHECK(fltr::merge_lightgbm_models(std::vector{third, third}, weights).label_index == 2);
  CHECK_THROWS_WITH(fltr::merge_lightgbm_models(std::vector{third, parse_lightgbm_model(small)}, weights),
                    ContainsSubstring("labels in column 2 of the data, got 0"));
  check_refused(with(small, "label_index=0", "label_index=-1"), 5, "integer in range");

  // 0.1F is above 0.1: a model for doubles is rounded for rows of floats, one for floats is left alone.
  auto const doubles = parse_lightgbm_model(with(small, "threshold=0.5 2", "threshold=0.1 2"));
  auto floats = doubles;
  floats.float_rows = true;
  CHECK_FALSE(doubles.float_rows);
  CHECK(doubles.forest_for_float_rows().trees()[0].threshold[0] == static_cast<double>(0.1F));
  CHECK(floats.forest_for_float_rows() == doubles.forest);
  CHECK(parse_lightgbm_model(fltr::lightgbm_text(floats)) == floats);
  CHECK(LightGbmModel(Forest(1)).float_rows);
  CHECK(fltr::merge_lightgbm_models(std::vector{floats, floats}, weights).float_rows);
  CHECK_FALSE(fltr::merge_lightgbm_models(std::vector{floats, doubles}, weights).float_rows);
  check_refused(with(small, "label_index=0", "fltr_rows=half"), 5, "expected 'float'");
}

TEST_CASE("A LightGBM model that the format cannot hold is not written") {
  auto model = parse_lightgbm_model(small);
  model.feature_names = {"a", "a"};
  CHECK_THROWS_WITH(fltr::lightgbm_text(model), ContainsSubstring("features of different names"));
  model = parse_lightgbm_model(small);
  model.objective = "lambdarank\nTree=0";
  CHECK_THROWS_WITH(fltr::lightgbm_text(model), ContainsSubstring("an objective of one line"));
}

TEST_CASE("Malformed LightGBM models are refused with the line") {
  CHECK(parse_lightgbm_model(small).forest.trees().size() == 1);
  check_refused("", 1, "expected 'tree'");
  check_refused("{\"name\": \"tree\"}", 1, "expected 'tree'");
  check_refused(with(small, "version=v4", "version=v2"), 2, "version v3 or v4");
  check_refused(with(small, "num_class=1", "num_class=3"), 3, "a ranker has one score");
  check_refused(with(small, "max_feature_idx=1", "max_feature_idx=2147483647"), 6, "expected fewer features");
  check_refused(with(small, "max_feature_idx=1", "max_feature_idx=16777215"), 8, "expected 16777216 words, got 2");
  check_refused(with(small, "max_feature_idx=1\n", ""), 1, "expected 'max_feature_idx'");
  check_refused(with(small, "feature_names=a b", "feature_names=a a"), 8, "each feature's name once");
  check_refused(with(small, "label_index=0", "colour=red"), 5, "got 'colour'");
  check_refused(with(small, "label_index=0", "version=v4"), 5, "expected 'version' once");
  check_refused(with(small, "end of trees\n", ""), 26, "expected 'Tree=1' or 'end of trees'");
  check_refused(with(small, "Tree=0", "Tree=1"), 11, "expected 0, the number of this tree");

  check_refused(with(small, "max_feature_idx=1", "max_feature_idx=16777216"), 6, "expected fewer features");
  check_refused(with(small, "num_leaves=3", "num_leaves=0"), 12, "integer in range");
  std::string const one_leaf = "\nnum_leaves=1\nnum_cat=0\nleaf_value=1\nthreshold=";
  std::string const header = small.substr(0, small.find("\nnum_leaves"));
  CHECK(parse_lightgbm_model(header + one_leaf + "\n\nend of trees\n").forest.trees()[0].leaf_count() == 1);
  check_refused(header + one_leaf + "nan\n\nend of trees\n", 15, "finite number");
  check_refused(header + one_leaf + "1 2\n\nend of trees\n", 15, "expected 0 numbers, got 2");
  check_refused(with(small, "num_leaves=3", "num_leaves=1000000000"), 20, "expected 1000000000 numbers, got 3");
  check_refused(with(small, "num_leaves=3", "num_leaves=99999999999"), 12, "integer in range");
  check_refused(with(small, "num_leaves=3", "num_leaves=2"), 20, "expected 2 numbers, got 3");
  check_refused(with(small, "num_cat=0", "num_cat=1"), 13, "categorical splits are not supported");
  check_refused(with(small, "decision_type=2 2", "decision_type=2 1"), 17, "categorical splits are not supported");
  check_refused(with(small, "decision_type=2 2", "decision_type=2 12"), 11, "two kinds of missing values");
  check_refused(with(small, "is_linear=0", "is_linear=1"), 23, "linear trees are not supported");
  check_refused(with(small, "left_child=1 -1\n", ""), 11, "expected 'left_child'");
  check_refused(with(small, "split_gain=2 1", "split_gain=2"), 15, "expected 2 numbers, got 1");
  check_refused(with(small, "threshold=0.5 2", "threshold=nan 2"), 16, "finite number");
  check_refused(with(small, "threshold=0.5 2", "threshold=0.5 inf"), 16, "finite number");
  check_refused(with(small, "threshold=0.5 2", "threshold=0.5 2x"), 16, "finite number");
  check_refused(with(small, "leaf_value=1 10 100", "leaf_value=1 1e999 100"), 20, "finite number");
  check_refused(with(small, "split_feature=0 1", "split_feature=0 2"), 11, "node 1 has feature 2 of 2");
  check_refused(with(small, "split_feature=0 1", "split_feature=0 -1"), 14, "integer in range");
  check_refused(with(small, "left_child=1 -1", "left_child=0 -1"), 11, "node 0 is reached twice");
  check_refused(with(small, "left_child=1 -1", "left_child=1 1"), 11, "node 1 is reached twice");
  check_refused(with(small, "left_child=1 -1", "left_child=-1 -1"), 11, "never reached");
  check_refused(with(small, "left_child=1 -1", "left_child=1 2147483647"), 11, "does not exist");
  check_refused(with(small, "left_child=1 -1", "left_child=1 2147483648"), 18, "integer in range");
  check_refused(with(small, "left_child=1 -1", "left_child=1 -2147483648"), 11, "does not exist");
  check_refused(with(small, "left_child=1 -1", "left_child=1 -2147483649"), 18, "integer in range");
}

TEST_CASE("A truncated LightGBM model is refused") {
  auto const text = fltr::lightgbm_text(parse_lightgbm_model(small));
  auto const end = text.find("end of trees") + 12;
  for (std::size_t size = 0; size < end; ++size)
    CHECK_THROWS_AS(parse_lightgbm_model(std::string_view(text).substr(0, size)), ParseError);
  CHECK_NOTHROW(parse_lightgbm_model(std::string_view(text).substr(0, end)));
}

TEST_CASE("A forest of LightGBM is written to and read from a model file of fltr") {
  fltr::testing::TemporaryFolder const folder;
  auto const forest = fltr::read_lightgbm_model(golden("lightgbm_nan_missing")).forest;
  fltr::write_model(folder.path() / "forest.fltr", forest);
  CHECK(fltr::read_model<Forest>(folder.path() / "forest.fltr") == forest);
}
