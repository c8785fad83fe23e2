#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include <fltr/boosting/binning.hpp>
#include <fltr/boosting/boosted_scores.hpp>
#include <fltr/boosting/detail/binned_features.hpp>
#include <fltr/boosting/detail/fixed_gradients.hpp>
#include <fltr/boosting/detail/tree_grower.hpp>
#include <fltr/boosting/lambda_gradients.hpp>
#include <fltr/boosting/tree_options.hpp>
#include <fltr/concepts/execution.hpp>
#include <fltr/core/error.hpp>
#include <fltr/core/random.hpp>
#include <fltr/rankers/tree.hpp>

namespace fltr {

/// The options of Boosting; see LambdaMart for the same options with defaults.
struct BoostingOptions {
  double learning_rate = 0.1;
  double query_fraction = 1.0;    ///< of the queries, drawn for each tree
  double feature_fraction = 1.0;  ///< of the features, drawn for each tree
  TreeOptions tree{};
  LambdaOptions lambda{};
  Binning binning{};

  void check() const {
    require(std::isfinite(learning_rate) && learning_rate > 0.0, "BoostingOptions", "a finite learning_rate > 0",
            learning_rate);
    require(query_fraction > 0.0 && query_fraction <= 1.0, "BoostingOptions", "a query_fraction in (0, 1]",
            query_fraction);
    require(feature_fraction > 0.0 && feature_fraction <= 1.0, "BoostingOptions", "a feature_fraction in (0, 1]",
            feature_fraction);
  }
};

/// Gradient boosting of LambdaRank's loss (LambdaMART, Burges 2010), tree by tree. A step computes the gradients of all
/// queries at the present scores, grows a tree that approximates a Newton step, and adds the tree to the scores.
///
/// The trees are a function of queries, options and streams; the Execution changes only the time.
class Boosting {
 public:
  template <Execution E>
  Boosting(E const& execution, std::vector<QueryView> queries, BoostingOptions const& options, Streams streams)
      : options_(checked(options)),
        stream_(streams.of(Purpose::queries)),
        scores_(std::move(queries)),
        data_(execution, scores_.queries(), options.binning),
        grower_(data_, options.tree),
        fixed_(scores_.document_count()),
        gradients_(scores_.document_count()),
        hessians_(scores_.document_count()) {}
  Boosting(Boosting const&) = delete;
  Boosting& operator=(Boosting const&) = delete;

  /// Grows the next tree and adds it to the scores. If no split is possible, the tree has one leaf of value 0.
  template <Execution E>
  [[nodiscard]] Tree step(E const& execution) {
    auto const queries = draw(scores_.queries().size(), options_.query_fraction, stream_);
    auto const columns = draw(data_.column_count(), options_.feature_fraction, stream_);
    auto const [gradient, hessian] = find_gradients(execution, queries);
    if (!(gradient > 0.0F && hessian > 0.0F)) return one_leaf();
    fixed_.assign(execution, gradients_, hessians_, gradient, hessian);
    Tree tree = grower_.grow(execution, fixed_, documents_of(queries), columns, options_.learning_rate);
    if (tree.leaf_count() == 1) return one_leaf();
    for_each_block(execution, tree.leaf_count(),
                   [&](std::size_t leaf) { scores_.add(grower_.documents_of(leaf), tree.leaf[leaf]); });
    scores_.each_query(execution, [&](std::size_t q) {
      if (queries[q] == 0) scores_.add(q, tree);
    });
    return tree;
  }

  [[nodiscard]] BoostedScores const& scores() const& noexcept { return scores_; }
  void scores() const&& = delete;

 private:
  struct Largest {
    float gradient = 0.0F;
    float hessian = 0.0F;
    void merge(Largest const& other) noexcept {
      gradient = std::max(gradient, other.gradient);
      hessian = std::max(hessian, other.hessian);
    }
  };

  [[nodiscard]] static BoostingOptions checked(BoostingOptions const& options) {
    options.check();
    return options;
  }

  [[nodiscard]] static Tree one_leaf() {
    Tree tree;
    tree.leaf.push_back(0.0);
    return tree;
  }

  /// A flag for each of n items, set for a random fraction of them and for at least one item.
  [[nodiscard]] static std::vector<std::uint8_t> draw(std::size_t n, double fraction, Stream& stream) {
    std::vector<std::uint8_t> flags(n, 1);
    if (fraction >= 1.0 || n == 0) return flags;
    std::vector<std::uint32_t> order(n);
    std::iota(order.begin(), order.end(), 0U);
    stream.shuffle(std::span(order));
    auto const kept = static_cast<std::size_t>(std::max(1.0, std::round(fraction * static_cast<double>(n))));
    for (std::size_t i = kept; i < n; ++i) flags[order[i]] = 0;
    return flags;
  }

  [[nodiscard]] std::vector<std::uint32_t> documents_of(std::span<std::uint8_t const> queries) const {
    std::vector<std::uint32_t> documents;
    documents.reserve(scores_.document_count());
    for (std::size_t q = 0; q < queries.size(); ++q)
      for (std::size_t d = scores_.first_document(q); queries[q] != 0 && d < scores_.first_document(q + 1); ++d)
        documents.push_back(static_cast<std::uint32_t>(d));
    return documents;
  }

  template <Execution E>
  [[nodiscard]] Largest find_gradients(E const& execution, std::span<std::uint8_t const> queries) {
    if (queries.empty()) return {};
    return execution.reduce(scores_.block_count(), [&](std::size_t block) {
      LambdaGradients lambda(options_.lambda);
      std::vector<float> scores;
      Largest largest;
      std::size_t const end = std::min(queries.size(), (block + 1) * BoostedScores::block);
      for (std::size_t q = block * BoostedScores::block; q < end; ++q) {
        QueryView const query = scores_.queries()[q];
        auto const gradients = std::span(gradients_).subspan(scores_.first_document(q), query.document_count());
        auto const hessians = std::span(hessians_).subspan(scores_.first_document(q), query.document_count());
        if (queries[q] != 0) {
          lambda(query, scores_.scores(q, scores), gradients, hessians);
        } else {  // gradients of an earlier tree may be larger than all present ones
          std::ranges::fill(gradients, 0.0F);
          std::ranges::fill(hessians, 0.0F);
        }
        for (float g : gradients) largest.gradient = std::max(largest.gradient, std::abs(g));
        for (float h : hessians) largest.hessian = std::max(largest.hessian, h);
      }
      return largest;
    });
  }

  BoostingOptions options_;
  Stream stream_;  // draws the samples of all trees
  BoostedScores scores_;
  detail::BinnedFeatures data_;
  detail::TreeGrower grower_;
  detail::FixedGradients fixed_;
  std::vector<float> gradients_;
  std::vector<float> hessians_;
};

}  // namespace fltr
