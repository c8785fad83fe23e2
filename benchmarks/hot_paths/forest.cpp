// Scoring with a forest on one core, per document: many documents at once, compared with evaluating the trees node by
// node.
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <fltr/core/random.hpp>
#include <fltr/rankers/forest.hpp>

#include "hot_paths/suites.hpp"
#include "support/fixed_shape.hpp"
#include "support/side_by_side.hpp"

namespace fltr::benchmarks {

namespace {

/// A tree like those of leaf-wise growth: the leaf with the most documents is usually split next, at one of 255 bins of
/// a feature in [0, 1).
Tree grown_tree(Stream& stream, std::size_t leaves, std::uint32_t features) {
  Tree tree;
  tree.leaf.push_back(0.0);
  std::vector<double> mass{1.0};
  std::vector<std::pair<std::int32_t, bool>> parent{{-1, false}};
  while (tree.leaf.size() < leaves) {
    std::size_t widest = 0;
    double most = 0.0;
    for (std::size_t l = 0; l < mass.size(); ++l)
      if (double const m = mass[l] * (0.2 + stream.uniform()); m > most) most = m, widest = l;
    auto const node = static_cast<std::int32_t>(tree.inner_count());
    if (auto const [above, right] = parent[widest]; above >= 0)
      (right ? tree.right : tree.left)[static_cast<std::size_t>(above)] = node;
    double const threshold = (1.0 + stream.below(254)) / 255.0;
    tree.feature.push_back(stream.below(features));
    tree.threshold.push_back(threshold);
    tree.left.push_back(~static_cast<std::int32_t>(widest));
    tree.right.push_back(~static_cast<std::int32_t>(tree.leaf.size()));
    parent[widest] = {node, false};
    parent.emplace_back(node, true);
    mass.push_back(mass[widest] * (1.0 - threshold));
    mass[widest] *= threshold;
    tree.leaf.push_back(0.0);
  }
  for (double& value : tree.leaf) value = 0.05 * stream.normal();
  return tree;
}

/// The usual implementation: arrays of all nodes of all trees, thresholds in float.
struct PlainTrees {
  std::vector<std::uint32_t> feature;
  std::vector<float> threshold;
  std::vector<std::int32_t> left, right, roots;
  std::vector<double> leaf;

  explicit PlainTrees(std::span<Tree const> trees) {
    for (Tree const& tree : trees) {
      auto const node = static_cast<std::int32_t>(feature.size()), first = static_cast<std::int32_t>(leaf.size());
      auto const moved = [&](std::int32_t child) { return child >= 0 ? child + node : child - first; };
      roots.push_back(node);
      feature.insert(feature.end(), tree.feature.begin(), tree.feature.end());
      leaf.insert(leaf.end(), tree.leaf.begin(), tree.leaf.end());
      for (std::size_t n = 0; n < tree.inner_count(); ++n) {
        threshold.push_back(float_at_most(tree.threshold[n]));
        left.push_back(moved(tree.left[n]));
        right.push_back(moved(tree.right[n]));
      }
    }
  }

  void score(QueryView query, std::span<double> sums) const {
    for (std::size_t i = 0; i < sums.size(); ++i) {
      float const* const row = query.row(i).data();
      double sum = 0.0;
      for (std::int32_t node : roots) {
        while (node >= 0) {
          auto const n = static_cast<std::size_t>(node);
          node = row[feature[n]] <= threshold[n] ? left[n] : right[n];
        }
        sum += leaf[static_cast<std::size_t>(~node)];
      }
      sums[i] = sum;
    }
  }
};

/// A forest, the same trees as plain arrays, and queries of one shape.
struct Comparison {
  std::string name;
  Dataset data;
  Forest forest;
  PlainTrees plain{forest.trees()};
  std::vector<double> sums = std::vector<double>(data[0].document_count());

  Comparison(std::size_t trees, std::size_t leaves, std::size_t queries, std::size_t documents, std::size_t features)
      : name(std::to_string(trees) + " trees of " + std::to_string(leaves) + " leaves, " + std::to_string(documents) +
             " x " + std::to_string(features)),
        data(fixed_shape(queries, documents, features, 5)),
        forest(grown(trees, leaves, features), features) {
    std::vector<double> expected(documents);
    for (std::size_t q = 0; q < data.size(); ++q) {
      plain.score(data[q], expected);
      forest.score(data[q], sums);
      if (sums != expected) throw std::logic_error(name + ": the scores of query " + std::to_string(q) + " differ");
    }
  }
  Comparison(Comparison const&) = delete;

  void add_to(SideBySide& bench) {
    auto const baseline = "node by node, " + name;
    bench.baseline(operation(baseline, [this](QueryView query) { plain.score(query, sums); }));
    bench.add(operation("Forest::score, " + name, [this](QueryView query) { forest.score(query, sums); }), baseline);
    bench.add(operation("Forest::predict, " + name,
                        [this](QueryView query) {
                          for (std::size_t i = 0; i < sums.size(); ++i) sums[i] = forest.predict(query.row(i));
                        }),
              baseline);
  }

 private:
  static std::vector<Tree> grown(std::size_t trees, std::size_t leaves, std::size_t features) {
    Stream stream(3);
    std::vector<Tree> out;
    for (std::size_t t = 0; t < trees; ++t)
      out.push_back(grown_tree(stream, leaves, static_cast<std::uint32_t>(features)));
    return out;
  }
  SideBySide::Operation operation(std::string what, auto score) {
    return {std::move(what), static_cast<double>(data.document_count()), 1, [this, score] {
              for (std::size_t q = 0; q < data.size(); ++q) score(data[q]);
              ankerl::nanobench::doNotOptimizeAway(sums.data());
            }};
  }
};

}  // namespace

std::vector<Row> forest(std::size_t rounds) {
  SideBySide bench(rounds);
  Comparison large(300, 64, 40, 125, 136);
  Comparison small(300, 64, 40, 40, 46);
  Comparison many_trees(3000, 64, 4, 125, 136);
  Comparison many_leaves(300, 256, 20, 125, 136);
  Comparison few_documents(300, 64, 40, 8, 136);
  Comparison few_trees(20, 31, 100, 125, 136);
  for (auto* const comparison : {&large, &small, &many_trees, &many_leaves, &few_documents, &few_trees})
    comparison->add_to(bench);
  return bench.run();
}

}  // namespace fltr::benchmarks
