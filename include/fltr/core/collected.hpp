#pragma once

#include <cstddef>
#include <iterator>
#include <utility>
#include <vector>

#include <fltr/core/compiler.hpp>

namespace fltr {

/// Items of blocks of clients, in the order of the population. A merge moves the blocks and not the single items, so
/// that a million items pass the reduction tree at little cost.
template <class T>
struct Collected {
  std::vector<std::vector<T>> blocks;

  void add(T item) {
    if (blocks.empty()) blocks.emplace_back();
    blocks.back().push_back(std::move(item));
  }
  void merge(Collected&& other) {
    if (blocks.empty()) {
      blocks = std::move(other.blocks);
      return;
    }
    blocks.insert(blocks.end(), std::make_move_iterator(other.blocks.begin()),
                  std::make_move_iterator(other.blocks.end()));
  }

  /// All items in one vector.
  [[nodiscard]] std::vector<T> take() && {
    if (blocks.size() == 1) return std::move(blocks.front());
    std::vector<T> all;
    std::size_t size = 0;
    for (auto const& block : blocks) size += block.size();
    all.reserve(size);
    for (auto& block : blocks)
      all.insert(all.end(), std::make_move_iterator(block.begin()), std::make_move_iterator(block.end()));
    blocks.clear();
    return all;
  }

  auto fields(auto&& visit) { return visit(blocks); }
};

}  // namespace fltr
