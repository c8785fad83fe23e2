#pragma once

#include <span>
#include <vector>

#include <fltr/concepts/aggregator.hpp>
#include <fltr/core/error.hpp>
#include <fltr/messages/client_message.hpp>
#include <fltr/rankers/forest.hpp>

namespace fltr {

namespace detail {

/// The clients' forests, in the order of the messages. The copies share the trees.
[[nodiscard]] inline std::vector<Forest> forests_of(std::span<ClientMessage<Forest> const> all) {
  std::vector<Forest> forests;
  forests.reserve(all.size());
  for (auto const& sent : all) forests.push_back(sent.message);
  return forests;
}

}  // namespace detail

/// Merges forests with equal weights: s = Σ s_i / n. Uses no data.
struct EqualWeights {
  void aggregate(std::span<ClientMessage<Forest> const> all, Forest& ranker) const {
    require(!all.empty(), "EqualWeights", "at least one forest", all.size());
    std::vector<double> const weights(all.size(), 1.0 / static_cast<double>(all.size()));
    ranker = combine(detail::forests_of(all), weights);
  }
};
static_assert(Aggregator<EqualWeights, Forest, Forest>);

}  // namespace fltr
