#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include <fltr/data/client.hpp>
#include <fltr/messages/client_message.hpp>
#include <fltr/rankers/forest.hpp>
#include <fltr/rankers/tree.hpp>

namespace fltr::testing {

/// A tree with one split: the score is `low` if the feature is at most the threshold, else `high`.
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

/// The messages of clients 0, 1, … with these forests.
inline std::vector<ClientMessage<Forest>> sent(std::vector<Forest> forests) {
  std::vector<ClientMessage<Forest>> all;
  for (Forest& forest : forests) all.push_back({static_cast<ClientId>(all.size()), std::move(forest)});
  return all;
}

}  // namespace fltr::testing
