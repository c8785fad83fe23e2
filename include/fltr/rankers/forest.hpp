#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <fltr/concepts/message.hpp>
#include <fltr/concepts/ranker.hpp>
#include <fltr/core/error.hpp>
#include <fltr/data/query_view.hpp>
#include <fltr/rankers/detail/forest_scorer.hpp>
#include <fltr/rankers/tree.hpp>

namespace fltr {

/// A sum of regression trees: score(d) = Σ_t value of the leaf of tree t in which d ends, summed in double in the order
/// of the trees.
///
/// A Forest is validated on construction: all values finite, every node reached once. Its trees never change: copies
/// share them, and several threads may score at the same time. A Forest is also a message: the forest that a client
/// trained.
class Forest {
 public:
  static constexpr std::size_t most_features = std::size_t{1} << 24U;

  static constexpr std::string_view model_name = "forest";
  static constexpr std::string_view wire_name = "forest";

  Forest() : Forest(0) {}
  /// A forest without trees: every score is 0.
  explicit Forest(std::size_t feature_count) : Forest(std::vector<Tree>(), feature_count) {}
  /// Throws std::invalid_argument if a tree is not valid, see Tree::fault.
  Forest(std::vector<Tree> trees, std::size_t feature_count) {
    auto const fault = fault_of(trees, feature_count);
    require(fault.empty(), "Forest", "valid trees", fault);
    content_ = std::make_shared<Content const>(std::move(trees), feature_count);
  }

  // Copies share the trees, which never change. A moved-from object stays valid: moves copy a shared pointer.
  Forest(Forest const&) = default;
  Forest& operator=(Forest const&) = default;
  ~Forest() = default;

  [[nodiscard]] std::span<Tree const> trees() const& noexcept { return content_->trees; }
  [[nodiscard]] std::vector<Tree> trees() const&& { return content_->trees; }
  [[nodiscard]] std::size_t feature_count() const noexcept { return content_->feature_count; }

  void score(QueryView query, std::span<float> scores) const {
    std::vector<double> sums(scores.size());
    score(query, sums);
    std::ranges::transform(sums, scores.begin(), [](double sum) { return static_cast<float>(sum); });
  }

  /// The scores in double. Four or more documents are scored together; the bits are those of `predict`.
  void score(QueryView query, std::span<double> sums) const {
    if (query.feature_count() < feature_count()) [[unlikely]]
      throw_requirement("Forest", "rows of at least " + std::to_string(feature_count()) + " features",
                        query.feature_count());
    constexpr std::size_t handful = 4;
    if (sums.size() >= handful) return content_->scorer.score(trees(), query, sums);
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] = predict(query.row(i));
  }

  /// The scores of rows of doubles, `stride` apart. Thresholds are doubles: a value that is rounded to float may be on
  /// the other side of a threshold.
  void score(std::span<double const> rows, std::size_t stride, std::span<double> sums) const {
    require(stride >= feature_count() && rows.size() / std::max<std::size_t>(stride, 1) >= sums.size(), "Forest",
            std::to_string(sums.size()) + " rows of at least " + std::to_string(feature_count()) + " features",
            rows.size());
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] = predict(rows.subspan(i * stride, feature_count()));
  }

  /// The score of one document with features in float or double. Requires at least feature_count() features.
  template <class T>
  [[nodiscard]] double predict(std::span<T const> row) const noexcept {
    return sum_of_leaves(trees(), row);
  }

  /// The same trees, each leaf multiplied by `factor`.
  [[nodiscard]] Forest scaled(double factor) const {
    auto scaled_trees = content_->trees;
    for (Tree& tree : scaled_trees) tree.scale(factor);
    return {std::move(scaled_trees), feature_count()};
  }

  /// The same trees with thresholds rounded to the nearest float, for rows that were rounded from doubles. Rounding
  /// keeps the order of numbers: a value left of a threshold stays left, and a value right of it changes sides only if
  /// both round to the same float. Without this, values next to a threshold change sides in either direction.
  [[nodiscard]] Forest for_float_rows() const {
    auto rounded = content_->trees;
    for (Tree& tree : rounded)
      for (double& t : tree.threshold)
        if (std::abs(t) <= static_cast<double>(std::numeric_limits<float>::max()))
          t = static_cast<double>(static_cast<float>(t));
    return {std::move(rounded), feature_count()};
  }

  /// For each feature, the number of its splits.
  [[nodiscard]] std::vector<double> split_importance() const {
    return importance([](Tree const&, std::size_t) { return 1.0; });
  }
  /// For each feature, the sum of the gains of its splits in training.
  [[nodiscard]] std::vector<double> gain_importance() const {
    return importance(
        [](Tree const& t, std::size_t n) { return t.gain.empty() ? 0.0 : static_cast<double>(t.gain[n]); });
  }

  /// An upper bound of |score|: the sum of the largest |leaf| of each tree.
  [[nodiscard]] double score_bound() const noexcept {
    double sum = 0.0;
    for (Tree const& tree : trees())
      sum += std::abs(*std::ranges::max_element(tree.leaf, {}, [](double value) { return std::abs(value); }));
    return sum;
  }

  /// Whether a server may use this message: it has the ranker's number of features, and no score exceeds the largest
  /// float.
  template <class R>
  [[nodiscard]] bool fits(R const& ranker, std::uint32_t) const {
    return feature_count() == ranker.feature_count() &&
           score_bound() <= static_cast<double>(std::numeric_limits<float>::max());
  }

  /// Throws FormatError if the trees that were read are not valid.
  auto fields(auto&& visit) {
    // The visitor may read new values: it gets copies, which replace the content only if they differ from it.
    std::uint64_t features = feature_count();
    auto trees = content_->trees;
    if constexpr (std::is_void_v<decltype(visit(features, trees))>) {
      visit(features, trees);
      replace(features, std::move(trees));
    } else {
      return visit(features, trees);
    }
  }

  friend bool operator==(Forest const& a, Forest const& b) {
    return a.feature_count() == b.feature_count() && a.content_->trees == b.content_->trees;
  }

 private:
  struct Content {
    Content(std::vector<Tree> some, std::size_t features)
        : feature_count(features), trees(std::move(some)), scorer(trees) {}
    std::size_t feature_count;
    std::vector<Tree> trees;
    detail::ForestScorer scorer;
  };

  void replace(std::size_t features, std::vector<Tree> trees) {
    if (features == content_->feature_count && trees == content_->trees) return;
    if (auto const fault = fault_of(trees, features); !fault.empty()) throw FormatError("forest of " + fault);
    content_ = std::make_shared<Content const>(std::move(trees), features);
  }

  static std::string fault_of(std::vector<Tree> const& trees, std::size_t feature_count) {
    if (feature_count > most_features) return std::to_string(feature_count) + " features";
    for (std::size_t t = 0; t < trees.size(); ++t)
      if (auto const fault = trees[t].fault(feature_count); !fault.empty())
        return "tree " + std::to_string(t) + ": " + fault;
    return {};
  }

  [[nodiscard]] std::vector<double> importance(auto of_split) const {
    std::vector<double> sums(feature_count());
    for (Tree const& tree : trees())
      for (std::size_t n = 0; n < tree.inner_count(); ++n) sums[tree.feature[n]] += of_split(tree, n);
    return sums;
  }

  std::shared_ptr<Content const> content_;
};
static_assert(Ranker<Forest> && MessageFor<Forest, Forest>);

/// Σ weights_i · forests_i as one forest: the trees of all forests, with leaves multiplied by the weight. Scores differ
/// from the weighted sum of the forests' scores by rounding only. The trees of a forest of weight 0 are left out.
template <class = void>
[[nodiscard]] Forest combine(std::span<Forest const> forests, std::span<double const> weights) {
  require(forests.size() == weights.size(), "combine", "as many weights as forests, " + std::to_string(forests.size()),
          weights.size());
  std::vector<Tree> trees;
  std::size_t features = 0;
  for (std::size_t i = 0; i < forests.size(); ++i) {
    require(std::isfinite(weights[i]), "combine", "finite weights", weights[i]);
    features = std::max(features, forests[i].feature_count());
    if (weights[i] == 0.0) continue;
    auto const more = forests[i].trees();
    auto const first = trees.insert(trees.end(), more.begin(), more.end());
    std::for_each(first, trees.end(), [&](Tree& tree) { tree.scale(weights[i]); });
  }
  return {std::move(trees), features};
}

}  // namespace fltr
