#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include <fltr/concepts/ranker.hpp>
#include <fltr/core/error.hpp>
#include <fltr/data/query_view.hpp>
#include <fltr/rankers/forest.hpp>

namespace fltr {

/// A weighted sum of forests: s = Σ α_i s_i. Each client has its own weights; copies share the trees.
struct MergedForest {
  std::vector<Forest> local;    ///< in the order of the clients
  std::vector<double> weights;  ///< α_i

  /// The weight of the second of two forests, α in the paper.
  [[nodiscard]] double alpha() const {
    require(weights.size() == 2, "MergedForest::alpha", "2 forests", weights.size());
    return weights[1];
  }
  /// All trees as one forest with leaves multiplied by α_i, for files. The scores differ by rounding only.
  [[nodiscard]] Forest forest() const { return combine(local, weights); }

  /// A forest of weight 0 is not evaluated.
  void score(QueryView query, std::span<float> scores) const {
    std::vector<double> sums(scores.size()), of_one(scores.size());
    for (std::size_t m = 0; m < local.size(); ++m) {
      if (weights[m] == 0.0) continue;
      local[m].score(query, std::span(of_one));
      for (std::size_t d = 0; d < sums.size(); ++d) sums[d] += weights[m] * of_one[d];
    }
    std::ranges::transform(sums, scores.begin(), [](double sum) { return static_cast<float>(sum); });
  }

  auto fields(auto&& visit) { return visit(local, weights); }
  /// Whether there is a weight for every forest.
  [[nodiscard]] bool consistent() const noexcept { return local.size() == weights.size(); }
};
static_assert(Ranker<MergedForest>);

}  // namespace fltr
