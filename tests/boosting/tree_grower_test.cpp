#include <fltr/boosting/detail/tree_grower.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <set>
#include <stdexcept>
#include <vector>

#include <fltr/boosting/query_views.hpp>
#include <fltr/core/random.hpp>
#include <fltr/core/serial.hpp>
#include <fltr/execution/threads.hpp>

#include "support/catch.hpp"
#include "support/datasets.hpp"
#include "support/shuffled_execution.hpp"

namespace {

using fltr::Dataset;
using fltr::Tree;
using fltr::TreeOptions;
using fltr::detail::BinnedFeatures;
using fltr::detail::FixedGradients;
using fltr::detail::TreeGrower;
using Documents = std::vector<std::uint32_t>;

/// One query of documents with small whole features, and gradients and hessians that are exact in fixed point.
struct Problem {
  std::vector<std::vector<float>> rows;
  std::vector<float> gradients, hessians;
  Dataset data;

  Problem(std::uint64_t seed, std::size_t documents, std::size_t features, std::uint32_t levels) {
    fltr::Stream stream(seed);
    std::vector<fltr::testing::Document> query(documents);
    for (auto& document : query) {
      for (std::size_t f = 0; f < features; ++f) document.features.push_back(static_cast<float>(stream.below(levels)));
      rows.push_back(document.features);
      gradients.push_back((static_cast<float>(stream.below(257)) - 128.0F) / 128.0F);
      hessians.push_back(static_cast<float>(1 + stream.below(128)) / 128.0F);
    }
    data = fltr::testing::dataset_of({query}, features);
  }

  [[nodiscard]] Documents all() const {
    Documents documents(rows.size());
    std::iota(documents.begin(), documents.end(), 0U);
    return documents;
  }
  [[nodiscard]] FixedGradients fixed() const {
    FixedGradients values(rows.size());
    values.assign(fltr::Serial{}, gradients, hessians, 1.0F, 1.0F);
    return values;
  }
};

template <class E = fltr::Serial>
Tree grow(Problem const& problem, TreeOptions const& options, Documents documents, double rate = 1.0,
          std::vector<std::uint8_t> columns = {}, E const& execution = {}) {
  BinnedFeatures const binned(execution, fltr::query_views(problem.data), {.min_data = 1});
  if (columns.empty()) columns.assign(binned.column_count(), 1);
  return TreeGrower(binned, options).grow(execution, problem.fixed(), std::move(documents), columns, rate);
}

struct Sum {
  double gradient = 0, hessian = 0;
};
Sum sum_of(Problem const& problem, Documents const& documents) {
  Sum sum;
  for (auto d : documents) {
    sum.gradient += static_cast<double>(problem.gradients[d]);
    sum.hessian += static_cast<double>(problem.hessians[d]);
  }
  return sum;
}
double half_gain(Sum const& s, double l2) { return s.gradient * s.gradient / (s.hessian + l2); }

std::pair<Documents, Documents> cut(Problem const& problem, Documents const& documents, std::size_t feature,
                                    double threshold) {
  std::pair<Documents, Documents> parts;
  for (auto d : documents)
    (static_cast<double>(problem.rows[d][feature]) <= threshold ? parts.first : parts.second).push_back(d);
  return parts;
}

/// The gain of a split, 0 if it is not allowed.
double gain_of(Problem const& problem, TreeOptions const& o, Documents const& documents, std::size_t feature,
               double threshold) {
  auto const [left, right] = cut(problem, documents, feature, threshold);
  if (std::min(left.size(), right.size()) < std::max<std::size_t>(1, o.min_data)) return 0;
  Sum const l = sum_of(problem, left);
  Sum const r = sum_of(problem, right);
  if (std::min(l.hessian, r.hessian) < o.min_hessian) return 0;
  return half_gain(l, o.l2) + half_gain(r, o.l2) - half_gain(sum_of(problem, documents), o.l2);
}

/// All splits of a leaf: between any two values that a feature has.
double best_gain(Problem const& problem, TreeOptions const& o, Documents const& documents) {
  double best = 0;
  for (std::size_t f = 0; f < problem.rows[0].size(); ++f) {
    std::set<float> values;
    for (auto const& row : problem.rows) values.insert(row[f]);
    for (float v : values) best = std::max(best, gain_of(problem, o, documents, f, static_cast<double>(v) + 0.5));
  }
  return best;
}

/// Checks a tree split by split: inner node i is the i-th split, its left child keeps the number of the leaf, the right
/// child has number i + 1. Each split must be the best of all leaves, and the leaves must be Newton steps.
void check_greedy(Problem const& problem, TreeOptions const& o, Documents const& documents, Tree const& tree,
                  double rate) {
  REQUIRE(tree.fault(problem.rows[0].size()).empty());
  REQUIRE(tree.leaf_count() <= o.leaves);
  std::vector<Documents> leaves{documents};
  std::vector<std::int32_t> parent{-1};
  std::vector<int> turn{0};
  for (std::size_t n = 0; n < tree.inner_count(); ++n) {
    // The leaf that was split: the one that is reached from the root over the nodes before n.
    std::size_t which = 0;
    for (std::size_t leaf = 0; leaf < leaves.size(); ++leaf) {
      auto const& row = problem.rows[leaves[leaf][0]];
      std::int32_t node = 0;
      while (node >= 0 && static_cast<std::size_t>(node) < n) {
        auto const i = static_cast<std::size_t>(node);
        node = static_cast<double>(row[tree.feature[i]]) <= tree.threshold[i] ? tree.left[i] : tree.right[i];
      }
      if (node == static_cast<std::int32_t>(n)) which = leaf;
    }
    double best = 0;
    for (auto const& leaf : leaves) best = std::max(best, best_gain(problem, o, leaf));
    double const own = gain_of(problem, o, leaves[which], tree.feature[n], tree.threshold[n]);
    CAPTURE(n, which);
    REQUIRE(own > 0);
    CHECK(own == Approx(best).epsilon(1e-9));
    CHECK(static_cast<double>(tree.gain[n]) == Approx(own).epsilon(1e-6));
    Sum const sum = sum_of(problem, leaves[which]);
    CHECK(tree.statistics.inner_count[n] == leaves[which].size());
    CHECK(tree.statistics.inner_weight[n] == Approx(sum.hessian));
    CHECK(tree.statistics.inner_value[n] == Approx(-rate * sum.gradient / (sum.hessian + o.l2)));
    auto parts = cut(problem, leaves[which], tree.feature[n], tree.threshold[n]);
    leaves[which] = std::move(parts.first);
    leaves.push_back(std::move(parts.second));
  }
  if (tree.leaf_count() < o.leaves)  // growth stopped: no leaf has a split
    for (auto const& leaf : leaves) CHECK(best_gain(problem, o, leaf) <= 1e-9);
  for (std::size_t leaf = 0; leaf < leaves.size(); ++leaf) {
    Sum const sum = sum_of(problem, leaves[leaf]);
    CHECK(tree.leaf[leaf] == Approx(-rate * sum.gradient / (sum.hessian + o.l2)));
    CHECK(tree.statistics.leaf_count[leaf] == leaves[leaf].size());
    CHECK(tree.statistics.leaf_weight[leaf] == Approx(sum.hessian));
    for (auto d : leaves[leaf]) CHECK(tree.leaf_of(std::span<float const>(problem.rows[d])) == leaf);
  }
}

}  // namespace

TEST_CASE("TreeGrower: every split is the best split of all leaves") {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    Problem const problem(seed, 40 + 10 * seed, 1 + 2 * (seed % 10), 5);
    TreeOptions const options{.leaves = 2 + seed,
                              .min_data = seed % 4 * 2,
                              .min_hessian = seed % 3 == 0 ? 2.0 : 0.0,
                              .l2 = seed % 2 == 0 ? 1.0 : 0.0};
    check_greedy(problem, options, problem.all(), grow(problem, options, problem.all(), 0.3), 0.3);
  }
}

TEST_CASE("TreeGrower uses only the given documents and the columns that may be split") {
  Problem const problem(5, 80, 20, 6);
  TreeOptions const options{.leaves = 8, .min_data = 3};
  Documents some;
  for (std::uint32_t d = 0; d < 80; d += 1 + d % 3) some.push_back(d);
  check_greedy(problem, options, some, grow(problem, options, some), 1.0);

  std::vector<std::uint8_t> columns(20, 0);
  columns[3] = columns[17] = 1;
  auto const tree = grow(problem, options, problem.all(), 1.0, columns);
  CHECK(tree.leaf_count() == 8);
  for (auto f : tree.feature) CHECK((f == 3 || f == 17));
  columns.assign(20, 0);
  columns[19] = 1;  // no column of the first panel may be split
  for (auto f : grow(problem, options, problem.all(), 1.0, columns).feature) CHECK(f == 19);
}

TEST_CASE("TreeGrower: a tree can have as many leaves as documents; no leaf is empty") {
  Problem const problem(6, 30, 3, 50);
  TreeOptions const options{.leaves = 100, .min_data = 0, .min_hessian = 0};
  auto const tree = grow(problem, options, problem.all());
  check_greedy(problem, options, problem.all(), tree, 1.0);
  CHECK(tree.leaf_count() > 20);
}

TEST_CASE("TreeGrower: the tree has one leaf if no split is possible") {
  Problem const problem(7, 30, 3, 5);
  for (TreeOptions const& options : {TreeOptions{.leaves = 1}, TreeOptions{.min_data = 16},
                                     TreeOptions{.min_hessian = 1e9}, TreeOptions{.min_data = 1, .min_gain = 1e9}}) {
    auto const tree = grow(problem, options, problem.all());
    CHECK(tree.leaf_count() == 1);
    CHECK(tree.fault(3).empty());
  }
  CHECK(grow(Problem(8, 30, 3, 1), {.min_data = 1}, problem.all()).leaf_count() == 1);  // constant features
  CHECK(grow(problem, {.min_data = 1}, {4}).leaf_count() == 1);
  CHECK(grow(problem, {.min_data = 1}, {}).leaf[0] == 0.0);
  CHECK_THROWS_AS(grow(problem, {}, problem.all(), 1.0, {1, 1}), std::invalid_argument);
}

TEST_CASE("TreeGrower: a monotone transformation of a feature does not change the leaves") {
  Problem problem(9, 200, 4, 12);
  TreeOptions const options{.leaves = 16, .min_data = 5};
  auto const before = grow(problem, options, problem.all());
  Problem mapped = problem;
  std::vector<fltr::testing::Document> query;
  for (auto& row : mapped.rows) {
    for (float& x : row) x = std::exp(x) * 1e-3F - 7.0F;
    query.push_back({0, row});
  }
  mapped.data = fltr::testing::dataset_of({query}, 4);
  auto const after = grow(mapped, options, problem.all());
  CHECK(after.feature == before.feature);
  CHECK(after.leaf == before.leaf);
  CHECK(after.gain == before.gain);
  for (std::size_t d = 0; d < 200; ++d)
    CHECK(after.leaf_of(std::span<float const>(mapped.rows[d])) ==
          before.leaf_of(std::span<float const>(problem.rows[d])));
}

TEST_CASE("TreeGrower: the tree does not depend on the Execution or on earlier trees") {
  Problem const problem(10, 3000, 70, 90);
  TreeOptions const options{.leaves = 40, .min_data = 10};
  auto const tree = grow(problem, options, problem.all());
  CHECK(tree.leaf_count() == 40);
  CHECK(grow(problem, options, problem.all(), 1.0, {}, fltr::Threads{1}) == tree);
  CHECK(grow(problem, options, problem.all(), 1.0, {}, fltr::Threads{4}) == tree);
  CHECK(grow(problem, options, problem.all(), 1.0, {}, fltr::testing::ShuffledExecution{3}) == tree);

  BinnedFeatures const binned(fltr::Serial{}, fltr::query_views(problem.data), {.min_data = 1});
  TreeGrower grower(binned, options);
  std::vector<std::uint8_t> const columns(binned.column_count(), 1);
  Documents half(problem.all());
  half.resize(1500);
  (void)grower.grow(fltr::Serial{}, problem.fixed(), half, columns, 1.0);
  CHECK(grower.grow(fltr::Serial{}, problem.fixed(), problem.all(), columns, 1.0) == tree);
  std::size_t documents = 0;
  for (std::size_t leaf = 0; leaf < 40; ++leaf) {
    CHECK(std::ranges::is_sorted(grower.documents_of(leaf)));
    for (auto d : grower.documents_of(leaf)) CHECK(tree.leaf_of(problem.data[0].row(d)) == leaf);
    documents += grower.documents_of(leaf).size();
  }
  CHECK(documents == 3000);
}

TEST_CASE("TreeGrower: the documents of a large leaf stay in order") {
  Problem const problem(11, 30'000, 3, 50);
  BinnedFeatures const binned(fltr::Serial{}, fltr::query_views(problem.data), {.min_data = 1});
  std::vector<std::uint8_t> const columns(binned.column_count(), 1);
  auto const check = [&](auto const& execution) {
    TreeGrower grower(binned, {.leaves = 9, .min_data = 100});
    auto const tree = grower.grow(execution, problem.fixed(), problem.all(), columns, 1.0);
    REQUIRE(tree.leaf_count() == 9);
    std::vector<Documents> expected(9);
    for (std::uint32_t d = 0; d < 30'000; ++d) expected[tree.leaf_of(problem.data[0].row(d))].push_back(d);
    for (std::size_t leaf = 0; leaf < 9; ++leaf) CHECK(std::ranges::equal(grower.documents_of(leaf), expected[leaf]));
    return tree;
  };
  auto const tree = check(fltr::Serial{});
  CHECK(check(fltr::Threads{3}) == tree);
  CHECK(check(fltr::testing::ShuffledExecution{5}) == tree);
}

TEST_CASE("tree grower: the last of several slices of a leaf has no document that goes right") {
  // In the first slice 8,192 documents go right, in all later slices every document goes left. There, the address for
  // documents that go right is past the end.
  constexpr std::size_t count = 20'000;
  std::vector<fltr::testing::Document> query(count);
  std::vector<float> gradients(count), hessians(count, 1.0F);
  for (std::size_t d = 0; d < count; ++d) {
    query[d].features = {d < 8192 ? 1.0F : 0.0F};
    gradients[d] = d < 8192 ? 1.0F : -1.0F;
  }
  Dataset const data = fltr::testing::dataset_of({query}, 1);
  BinnedFeatures const binned(fltr::Serial{}, fltr::query_views(data), {.min_data = 1});
  FixedGradients fixed(count);
  fixed.assign(fltr::Serial{}, gradients, hessians, 1.0F, 1.0F);
  Documents documents(count);
  std::iota(documents.begin(), documents.end(), 0U);
  TreeGrower grower(binned, {.leaves = 2, .min_data = 1});
  auto const tree = grower.grow(fltr::Serial{}, fixed, documents, std::vector<std::uint8_t>{1}, 1.0);
  REQUIRE(tree.leaf_count() == 2);
  CHECK(std::ranges::equal(grower.documents_of(0), std::span(documents).subspan(8192)));
  CHECK(std::ranges::equal(grower.documents_of(1), std::span(documents).first(8192)));
}
