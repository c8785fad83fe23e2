#pragma once

#include <span>
#include <vector>

#include <fltr/concepts/aggregator.hpp>
#include <fltr/core/error.hpp>
#include <fltr/messages/sent.hpp>
#include <fltr/rankers/forest.hpp>

namespace fltr {

/// The forests that clients sent, in their order. Copies share the trees.
[[nodiscard]] inline std::vector<Forest> forests_of(std::span<Sent<Forest> const> all) {
  std::vector<Forest> forests;
  forests.reserve(all.size());
  for (auto const& sent : all) forests.push_back(sent.message);
  return forests;
}

/// Merges forests without looking at any data: s = Σ s_i / n.
struct EqualWeights {
  void aggregate(std::span<Sent<Forest> const> all, Forest& ranker) const {
    require(!all.empty(), "EqualWeights", "at least one forest", all.size());
    std::vector<double> const weights(all.size(), 1.0 / static_cast<double>(all.size()));
    ranker = combine(forests_of(all), weights);
  }
};
static_assert(Aggregator<EqualWeights, Forest, Forest>);

}  // namespace fltr
