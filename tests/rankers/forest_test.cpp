#include <fltr/rankers/forest.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

#include <fltr/core/fields.hpp>
#include <fltr/core/random.hpp>
#include <fltr/messages/wire.hpp>

#include "support/catch.hpp"
#include "support/random_trees.hpp"

namespace {

using fltr::Forest;
using fltr::Stream;
using fltr::Tree;
using fltr::testing::random_tree;

// x0 <= 0.5 ? (x1 <= 2 ? 1 : 10) : 100
Tree three_leaves() {
  Tree tree;
  tree.feature = {0, 1};
  tree.threshold = {0.5, 2.0};
  tree.left = {1, ~0};
  tree.right = {~2, ~1};
  tree.gain = {7.0F, 3.0F};
  tree.leaf = {1.0, 10.0, 100.0};
  return tree;
}
Tree one_leaf(double value) {
  Tree tree;
  tree.leaf = {value};
  return tree;
}

/// Documents of equal length, as a query.
struct Rows {
  std::vector<float> values;
  std::size_t features;
  std::vector<fltr::Grade> grades = std::vector<fltr::Grade>(values.size() / features);

  [[nodiscard]] fltr::QueryView query() const { return {values.data(), features, features, grades, grades}; }
};

/// LightGBM's rule for missing values, written from its documentation.
double slow_score(Tree const& tree, std::int32_t node, std::span<float const> row) {
  if (node < 0) return tree.leaf[static_cast<std::size_t>(~node)];
  auto const n = static_cast<std::size_t>(node);
  auto x = static_cast<double>(row[tree.feature[n]]);
  unsigned const type = tree.decision.empty() ? 0U : tree.decision[n];
  unsigned const missing = type >> 2U;  // 0 none, 1 zero, 2 NaN
  if (missing != 2 && std::isnan(x)) x = 0.0;
  bool left = x <= tree.threshold[n];
  if (missing == 1 && x >= -static_cast<double>(1e-35F) && x <= static_cast<double>(1e-35F)) left = (type & 2U) != 0;
  if (missing == 2 && std::isnan(x)) left = (type & 2U) != 0;
  return slow_score(tree, left ? tree.left[n] : tree.right[n], row);
}
double slow_score(std::vector<Tree> const& trees, std::span<float const> row) {
  double sum = 0.0;
  for (Tree const& tree : trees) sum += slow_score(tree, tree.leaf.size() > 1 ? 0 : ~0, row);
  return sum;
}

/// Checks that many documents at once have the bits of single documents.
void check_scores(std::vector<Tree> const& trees, Rows const& rows) {
  Forest const forest(trees, rows.features);
  std::vector<double> sums(rows.grades.size());
  forest.score(rows.query(), sums);
  std::vector<float> scores(sums.size());
  forest.score(rows.query(), scores);
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < sums.size(); ++i) {
    double const expected = slow_score(trees, rows.query().row(i));
    wrong += sums[i] == expected && scores[i] == static_cast<float>(expected) &&
                     forest.predict(rows.query().row(i)) == expected
                 ? 0U
                 : 1U;
  }
  CHECK(wrong == 0);
}

Rows random_rows(Stream& stream, std::size_t documents, std::size_t features, std::uint32_t levels) {
  std::vector<float> values(documents * features);
  for (float& x : values)
    x = levels > 0 ? static_cast<float>(stream.below(levels)) : static_cast<float>(stream.normal());
  return {std::move(values), features};
}

/// The fields of a Forest without its validation.
struct Forged {
  std::uint64_t features = 2;
  std::vector<Tree> trees;
  auto fields(auto&& visit) { return visit(features, trees); }
};

}  // namespace

TEST_CASE("Scores of a Forest by hand") {
  Forest const forest({three_leaves(), one_leaf(0.25), three_leaves()}, 2);
  Rows const rows{{0.5F, 2.0F, 0.5F, 2.5F, 0.75F, 0.0F, -1.0F, -1.0F, 0.0F, 3.0F}, 2};
  std::vector<float> scores(5);
  forest.score(rows.query(), scores);
  CHECK(scores == std::vector<float>{2.25F, 20.25F, 200.25F, 2.25F, 20.25F});
  Forest(2).score(rows.query(), scores);
  CHECK(scores == std::vector<float>(5, 0.0F));
  CHECK_THROWS_WITH(Forest(3).score(rows.query(), scores), "Forest: required rows of at least 3 features, got 2");
}

TEST_CASE("A threshold is a double, also between two floats") {
  Tree tree = three_leaves();
  tree.threshold[0] = 0.1;  // 0.1F is greater
  Forest const forest({tree}, 2);
  Rows const rows{{0.1F, 0, std::nextafter(0.1F, 0.0F), 0, 0.1F, 0, 0.1F, 0}, 2};
  std::vector<double> sums(4);
  forest.score(rows.query(), sums);
  CHECK(sums == std::vector<double>{100, 1, 100, 100});
  std::vector<double> const doubles{0.1, 0, std::nextafter(0.1, 1.0), 0};
  sums.resize(2);
  forest.score(doubles, 2, sums);
  CHECK(sums == std::vector<double>{1, 100});
  CHECK_THROWS_AS(forest.score(doubles, 2, std::span(sums = std::vector<double>(3))), std::invalid_argument);
  // Rounded like the rows, 0.1 is on the left again.
  sums.resize(4);
  forest.for_float_rows().score(rows.query(), sums);
  CHECK(sums == std::vector<double>{1, 1, 1, 1});

  CHECK(fltr::float_at_most(0.1) == std::nextafter(0.1F, 0.0F));
  CHECK(fltr::float_at_most(0.5) == 0.5F);
  CHECK(fltr::float_at_most(1e300) == std::numeric_limits<float>::max());
  CHECK(fltr::float_at_most(-1e300) == -std::numeric_limits<float>::infinity());
  CHECK(fltr::float_at_most(-1e-60) == -std::numeric_limits<float>::denorm_min());
}

TEST_CASE("Scores of all documents at once are bit-equal to those of single documents") {
  Stream stream(4);
  for (bool const chain : {false, true})
    for (std::size_t const leaves : {1U, 2U, 3U, 7U, 8U, 9U, 16U, 31U, 64U, 65U, 255U, 256U, 257U, 400U})
      for (std::uint32_t const levels : {0U, 5U}) {
        std::vector<Tree> trees;
        for (int t = 0; t < 5; ++t)
          trees.push_back(random_tree(stream, {.leaves = leaves, .features = 6, .levels = levels, .chain = chain}));
        check_scores(trees, random_rows(stream, 150, 7, levels));
      }
}

TEST_CASE("Scores do not depend on the number of documents that are scored together") {
  Stream stream(5);
  std::vector<Tree> trees;
  for (std::size_t t = 0; t < 9; ++t) trees.push_back(random_tree(stream, {.leaves = 20 + 5 * t}));
  for (std::size_t const documents :
       {0U, 1U, 3U, 4U, 15U, 16U, 17U, 31U, 32U, 33U, 63U, 65U, 127U, 128U, 129U, 511U, 512U, 513U, 1100U})
    check_scores(trees, random_rows(stream, documents, 6, 0));
}

TEST_CASE("Scores with more than 255 thresholds per feature and several blocks of trees") {
  Stream stream(6);
  std::vector<Tree> trees;
  for (int t = 0; t < 200; ++t) trees.push_back(random_tree(stream, {.leaves = 100, .features = 3}));
  check_scores(trees, random_rows(stream, 300, 3, 0));
}

TEST_CASE("Missing values are treated as in LightGBM, for single documents and for many at once") {
  Stream stream(7);
  std::vector<Tree> trees;
  std::vector<std::vector<std::uint8_t>> const kinds{{0}, {0, 2, 8, 10}, {4, 6}, {0, 2, 4, 6, 8, 10}, {}};
  for (auto const& decisions : kinds)
    for (int t = 0; t < 3; ++t)
      trees.push_back(random_tree(stream, {.leaves = 20, .levels = 3, .decisions = decisions}));
  Rows rows = random_rows(stream, 200, 6, 4);
  for (float& x : rows.values) {
    x -= 1.0F;
    if (stream.below(40) == 0) x = std::numeric_limits<float>::quiet_NaN();
    if (stream.below(40) == 0) x = 1e-36F;
  }
  check_scores(trees, rows);
  for (auto const& decisions : kinds)  // a tree that is evaluated node by node keeps its position in the sum
    check_scores({random_tree(stream, {.leaves = 20, .decisions = decisions}), trees[0], trees[6]}, rows);
}

TEST_CASE("Infinite feature values go to the side of their sign") {
  constexpr float inf = std::numeric_limits<float>::infinity();
  Tree tree = three_leaves();
  tree.threshold = {1e300, -1e300};
  check_scores({tree}, {{inf, 0, -inf, inf, 0, -inf, -inf, -inf, 1, 1}, 2});
}

TEST_CASE("Scaled and combined forests have scaled and weighted scores") {
  Forest const a({three_leaves(), one_leaf(2.0)}, 2), b({one_leaf(8.0)}, 5);
  std::vector<float> const row{0, 3, 0, 0, 0};
  CHECK(a.scaled(-0.5).predict(std::span(row)) == -6.0);
  std::vector<Forest> const both{a, b};
  std::vector<double> const weights{0.25, 0.75};
  auto const sum = fltr::combine(both, weights);
  CHECK(sum.predict(std::span(row)) == 0.25 * 12.0 + 0.75 * 8.0);
  CHECK(sum.feature_count() == 5);
  CHECK(sum.trees().size() == 3);
  auto const second = fltr::combine(both, std::vector<double>{0.0, 1.0});
  CHECK(second.trees().size() == 1);
  CHECK(second.feature_count() == 5);
  CHECK_THROWS_AS(fltr::combine(both, std::span(weights).first(1)), std::invalid_argument);
  CHECK_THROWS_AS(fltr::combine(both, std::vector<double>{1.0, std::nan("")}), std::invalid_argument);
}

TEST_CASE("Split and gain importance by hand") {
  Forest const forest({three_leaves(), three_leaves(), one_leaf(1)}, 3);
  CHECK(forest.split_importance() == std::vector<double>{2, 2, 0});
  CHECK(forest.gain_importance() == std::vector<double>{14, 6, 0});
}

TEST_CASE("Invalid trees are errors that name the fault") {
  auto const refused = [](auto spoil) {
    Tree tree = three_leaves();
    spoil(tree);
    CHECK(!tree.fault(2).empty());
    CHECK_THROWS_AS(Forest({three_leaves(), tree}, 2), std::invalid_argument);
  };
  refused([](Tree& t) { t.leaf.clear(); });
  refused([](Tree& t) { t.leaf.push_back(0); });
  refused([](Tree& t) { t.left.pop_back(); });
  refused([](Tree& t) { t.gain.pop_back(); });
  refused([](Tree& t) { t.decision = {2}; });
  refused([](Tree& t) { t.decision = {2, 1}; });
  refused([](Tree& t) { t.decision = {12, 0}; });
  refused([](Tree& t) { t.statistics.leaf_count = {1}; });
  refused([](Tree& t) { t.feature[1] = 2; });
  refused([](Tree& t) { t.threshold[0] = std::nan(""); });
  refused([](Tree& t) { t.leaf[2] = std::numeric_limits<double>::infinity(); });
  refused([](Tree& t) { t.gain[0] = std::numeric_limits<float>::infinity(); });
  refused([](Tree& t) { t.shrinkage = std::nan(""); });
  refused([](Tree& t) { t.statistics.inner_value = {0.0, std::nan("")}; });
  refused([](Tree& t) { t.left[1] = 0; });    // a cycle through the root
  refused([](Tree& t) { t.left[1] = 1; });    // a node that is its own child
  refused([](Tree& t) { t.left[0] = ~0; });   // a leaf twice, a node never
  refused([](Tree& t) { t.left[0] = 2; });    // no such node
  refused([](Tree& t) { t.right[0] = ~3; });  // no such leaf
  refused([](Tree& t) { t.right[0] = std::numeric_limits<std::int32_t>::min(); });
  refused([](Tree& t) { t.right[0] = std::numeric_limits<std::int32_t>::max(); });
  CHECK_THROWS_WITH(Forest({three_leaves()}, 1), "Forest: required valid trees, got tree 0: node 1 has feature 1 of 1");
}

TEST_CASE("A Forest is a message: it keeps its bits over the wire") {
  Stream stream(8);
  Tree tree = random_tree(stream, {.decisions = {2, 10}});
  tree.statistics.leaf_count.assign(tree.leaf.size(), 3);
  Forest const forest({three_leaves(), tree, one_leaf(3)}, 6);
  auto bytes = fltr::to_bytes(forest);
  auto const again = fltr::from_bytes<Forest>(bytes);
  CHECK(again == forest);
  CHECK(!(again == forest.scaled(2.0)));
  CHECK(again.fits(Forest(6), 1));
  CHECK(!again.fits(Forest(7), 1));

  // Scores must be in the range of float: each leaf is, the sum of two is not.
  Forest const huge({one_leaf(3e38)}, 6), too_huge({one_leaf(3e38), one_leaf(-3e38)}, 6);
  CHECK(huge.score_bound() == 3e38);
  CHECK(huge.fits(Forest(6), 1));
  CHECK(!too_huge.fits(Forest(6), 1));
  CHECK(!Forest({one_leaf(1e39)}, 6).fits(Forest(6), 1));
  Forest const copy = forest;
  CHECK(copy.trees().data() == forest.trees().data());
}

TEST_CASE("Bytes of an invalid forest are a FormatError") {
  auto const read = [](Forged const& forged) {
    auto const bytes = fltr::field_bytes(forged);
    Forest forest;
    fltr::FieldReader(bytes).read(forest);
    return forest;
  };
  Forged forged{2, {three_leaves()}};
  CHECK(read(forged) == Forest({three_leaves()}, 2));
  forged.features = std::uint64_t{1} << 60U;
  CHECK_THROWS_AS(read(forged), fltr::FormatError);
  forged.features = 2;
  forged.trees[0].left[1] = 0;
  CHECK_THROWS_WITH(read(forged), "forest of tree 0: node 0 is reached twice");
}

TEST_CASE("A moved-from Forest keeps its trees, and a temporary returns a copy of its trees") {
  fltr::Forest forest(std::vector<fltr::Tree>{}, 3);
  fltr::Forest const other = std::move(forest);
  CHECK(forest.feature_count() == 3);  // NOLINT(bugprone-use-after-move)
  CHECK(forest.trees().empty());
  CHECK(forest == other);
  STATIC_REQUIRE(std::is_same_v<decltype(fltr::Forest(3).trees()), std::vector<fltr::Tree>>);
}
