#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include <fltr/concepts/aggregator.hpp>
#include <fltr/concepts/message.hpp>
#include <fltr/concepts/ranker.hpp>

namespace fltr::testing {

/// Krum (Blanchard et al. 2017): the message with the smallest sum of squared distances to its n − f − 2 nearest
/// neighbours. It records the clients that it chose.
struct Krum {
  struct State {
    std::vector<ClientId> chosen;
    auto fields(auto&& visit) { return visit(chosen); }
  };

  std::size_t malicious = 1;  ///< f

  [[nodiscard]] std::size_t minimum_messages() const { return malicious + 3; }

  template <FlatMessage M>
  void aggregate(std::span<ClientMessage<M> const> all, ParametricRanker auto& ranker, State& state) const {
    std::size_t const n = all.size();
    std::size_t best = 0;
    double best_score = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < n; ++i) {
      std::vector<double> distances;
      for (std::size_t j = 0; j < n; ++j) {
        if (i == j) continue;
        double squares = 0.0;
        for (std::size_t k = 0; k < all[i].message.values.size(); ++k) {
          double const difference =
              static_cast<double>(all[i].message.values[k]) - static_cast<double>(all[j].message.values[k]);
          squares += difference * difference;
        }
        distances.push_back(squares);
      }
      std::ranges::sort(distances);
      double score = 0.0;
      for (std::size_t k = 0; k < n - malicious - 2; ++k) score += distances[k];
      if (score < best_score) {
        best = i;
        best_score = score;
      }
    }
    std::ranges::copy(all[best].message.values, shared_parameters(ranker).begin());
    state.chosen.push_back(all[best].client);
  }
};
static_assert(Aggregator<Krum>);

}  // namespace fltr::testing
