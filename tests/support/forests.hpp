#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include <fltr/data/client.hpp>
#include <fltr/messages/sent.hpp>
#include <fltr/rankers/forest.hpp>
#include <fltr/rankers/tree.hpp>

namespace fltr::testing {

/// A tree of one split: `low` where the feature is at most the threshold, else `high`.
inline Tree stump(std::uint32_t feature, double low, double high, double threshold = 0.5) {
  Tree tree;
  tree.feature = {feature};
  tree.threshold = {threshold};
  tree.left = {~0};
  tree.right = {~1};
  tree.gain = {1.0F};
  tree.leaf = {low, high};
  return tree;
}

inline std::vector<Sent<Forest>> sent(std::vector<Forest> forests) {
  std::vector<Sent<Forest>> all;
  for (Forest& forest : forests) all.push_back({static_cast<ClientId>(all.size()), std::move(forest)});
  return all;
}

}  // namespace fltr::testing
