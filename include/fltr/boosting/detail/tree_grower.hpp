#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fltr/boosting/detail/binned_features.hpp>
#include <fltr/boosting/detail/fixed_gradients.hpp>
#include <fltr/boosting/detail/gradient_sum.hpp>
#include <fltr/boosting/detail/histograms.hpp>
#include <fltr/boosting/detail/split_search.hpp>
#include <fltr/boosting/tree_options.hpp>
#include <fltr/concepts/execution.hpp>
#include <fltr/core/error.hpp>
#include <fltr/rankers/tree.hpp>

namespace fltr::detail {

/// Grows trees on the same binned documents, leaf by leaf: the leaf whose best split has the largest gain is split next
/// (the oldest leaf of equal gains). Of two new leaves, the histograms of the smaller one are built from its documents.
/// The histograms of the larger one are the difference to the parent's.
///
/// The blocks of an Execution are panels of columns. Sums are exact, so the tree does not depend on the Execution.
/// Memory: 4 kB per column and leaf.
class TreeGrower {
 public:
  TreeGrower(BinnedFeatures const& data, TreeOptions const& options) : data_(data), options_(options) {
    options_.check();
  }
  TreeGrower(BinnedFeatures const&&, TreeOptions const&) = delete;

  /// Grows a tree on these documents. The value of a leaf is learning_rate · (−G / (H + λ)). Only columns whose flag in
  /// `may_split` is set are used. The tree has one leaf if no split is allowed or has a gain.
  template <Execution E>
  [[nodiscard]] Tree grow(E const& execution, FixedGradients const& gradients, std::vector<std::uint32_t> documents,
                          std::span<std::uint8_t const> may_split, double learning_rate) {
    require(may_split.size() == data_.column_count(), "TreeGrower",
            "a flag for each of " + std::to_string(data_.column_count()) + " columns", may_split.size());
    Task const task{gradients, {options_, gradients}, may_split, learning_rate};
    documents_ = std::move(documents);
    moved_.resize(documents_.size());
    leaves_.assign(1, {0, documents_.size(), {}, {}});
    for (std::uint32_t d : documents_) leaves_[0].total += gradients[d];
    Tree tree;
    tree.shrinkage = learning_rate;
    describe(tree, task, 0);
    find_splits(execution, task, 0, nullptr);
    while (leaves_.size() < options_.leaves) {
      auto const best = static_cast<std::size_t>(
          std::ranges::max_element(leaves_, {}, [](Leaf const& leaf) { return leaf.best.gain; }) - leaves_.begin());
      if (!(leaves_[best].best.gain > 0.0)) break;
      split(execution, tree, task, best);
      if (leaves_.size() == options_.leaves) break;
      std::size_t const smaller = size(best) <= size(leaves_.size() - 1) ? best : leaves_.size() - 1;
      std::size_t const larger = best + leaves_.size() - 1 - smaller;
      find_splits(execution, task, smaller, &leaves_[larger]);
    }
    return tree;
  }

  /// The documents in a leaf of the last tree, in the order of the argument of `grow`.
  [[nodiscard]] std::span<std::uint32_t const> documents_of(std::size_t leaf) const& noexcept {
    return std::span(documents_).subspan(leaves_[leaf].begin, size(leaf));
  }
  void documents_of(std::size_t) const&& = delete;

 private:
  static constexpr std::size_t slice = 8192;  // documents of a leaf that one block moves

  struct Leaf {
    std::size_t begin;  // of its documents
    std::size_t end;
    GradientSum total;
    Split best;
    std::int32_t parent = -1;  // the inner node above it
    bool is_left = false;
  };

  /// The inputs of `grow` that do not change while a tree grows.
  struct Task {
    FixedGradients const& gradients;
    SplitSearch search;
    std::span<std::uint8_t const> may_split;
    double learning_rate;
  };

  struct TwoSplits {
    Split first;
    Split second;
    void merge(TwoSplits const& later) noexcept {
      first.merge(later.first);
      second.merge(later.second);
    }
  };

  [[nodiscard]] std::size_t size(std::size_t leaf) const noexcept { return leaves_[leaf].end - leaves_[leaf].begin; }

  /// Finds the best splits of a leaf, whose histograms are built, and of its sibling, whose histograms are still those
  /// of the parent.
  template <Execution E>
  void find_splits(E const& execution, Task const& task, std::size_t leaf, Leaf* sibling) {
    if (data_.column_count() == 0) return;
    bool const can_split = size(leaf) >= 2 * options_.min_data;
    if (!can_split && (sibling == nullptr || sibling->end - sibling->begin < 2 * options_.min_data)) return;
    auto const documents = documents_of(leaf);
    sums_.resize(documents.size());
    each_slice(execution, documents.size(), [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) sums_[i] = task.gradients[documents[i]];
    });
    Histograms& own = histograms(leaf, sibling);
    Histograms* const rest =
        sibling != nullptr ? &histograms_[static_cast<std::size_t>(sibling - leaves_.data())] : nullptr;
    auto const best = execution.reduce(data_.panel_count(), [&](std::size_t panel) {
      TwoSplits found;
      std::size_t const first = panel * BinnedFeatures::width;
      std::size_t const end = std::min(first + BinnedFeatures::width, data_.column_count());
      auto const flags = task.may_split.subspan(first, end - first);
      if (std::ranges::none_of(flags, [](auto flag) { return flag != 0; })) return found;
      own.build(data_, panel, documents, sums_);
      for (std::size_t c = first; c < end; ++c) {
        if (task.may_split[c] == 0) continue;
        std::size_t const bins = data_.bin_count(c);
        found.first.merge(task.search(own.column(c), bins, leaves_[leaf].total, c));
        if (rest == nullptr) continue;
        auto const column = rest->column(c);
        for (std::size_t b = 0; b < bins; ++b) column[b] -= own.column(c)[b];
        found.second.merge(task.search(column, bins, sibling->total, c));
      }
      return found;
    });
    leaves_[leaf].best = best.first;
    if (sibling != nullptr) sibling->best = best.second;
  }

  /// The storage of a leaf's histograms. The parent's histograms are stored at its left child; they are swapped to the
  /// sibling if the leaf is the left child.
  Histograms& histograms(std::size_t leaf, Leaf const* sibling) {
    while (histograms_.size() < leaves_.size()) histograms_.emplace_back(data_);
    if (sibling != nullptr && leaves_[leaf].is_left)
      std::swap(histograms_[leaf], histograms_[static_cast<std::size_t>(sibling - leaves_.data())]);
    return histograms_[leaf];
  }

  /// Moves the documents that go left to the front, in the same order, and turns the leaf into an inner node. The left
  /// child keeps the number of the leaf; the right child gets the next number.
  template <Execution E>
  void split(E const& execution, Tree& tree, Task const& task, std::size_t which) {
    Leaf& leaf = leaves_[which];
    Split const cut = leaf.best;
    std::size_t const middle = partition(execution, leaf, cut);
    auto const node = static_cast<std::int32_t>(tree.inner_count());
    auto const right = static_cast<std::int32_t>(leaves_.size());
    if (leaf.parent >= 0) (leaf.is_left ? tree.left : tree.right)[static_cast<std::size_t>(leaf.parent)] = node;
    tree.feature.push_back(data_.feature(cut.column));
    tree.threshold.push_back(data_.bound(cut.column, cut.bin));
    tree.gain.push_back(static_cast<float>(cut.gain));
    tree.left.push_back(~static_cast<std::int32_t>(which));
    tree.right.push_back(~right);
    tree.statistics.inner_value.push_back(tree.leaf[which]);
    tree.statistics.inner_weight.push_back(tree.statistics.leaf_weight[which]);
    tree.statistics.inner_count.push_back(tree.statistics.leaf_count[which]);

    Leaf const later{middle, leaf.end, leaf.total - cut.left, {}, node, false};
    leaf = {leaf.begin, middle, cut.left, {}, node, true};
    leaves_.push_back(later);
    describe(tree, task, which);
    describe(tree, task, leaves_.size() - 1);
  }

  /// Partitions the documents of a leaf. Each slice writes left documents from its front and right documents from its
  /// back. Then the left parts and the right parts of all slices are concatenated.
  template <Execution E>
  [[nodiscard]] std::size_t partition(E const& execution, Leaf const& leaf, Split const& cut) {
    std::uint8_t const* const bins =
        data_.panel(cut.column / BinnedFeatures::width) + cut.column % BinnedFeatures::width;
    auto const documents = std::span(documents_).subspan(leaf.begin, leaf.end - leaf.begin);
    auto const moved = std::span(moved_).subspan(leaf.begin, documents.size());
    std::vector<std::size_t> lefts((documents.size() + slice - 1) / slice);
    each_slice(execution, documents.size(), [&](std::size_t begin, std::size_t end) {
      constexpr std::size_t ahead = 32;
      std::size_t left = begin;
      std::size_t right = end;
      for (std::size_t i = begin; i < end; ++i) {
        __builtin_prefetch(bins + std::size_t{documents[std::min(i + ahead, end - 1)]} * BinnedFeatures::width);
        std::uint32_t const document = documents[i];
        bool const goes_left = bins[std::size_t{document} * BinnedFeatures::width] <= cut.bin;
        moved[left] = document;  // writes both: a branch would be mispredicted often
        moved[right - 1] = document;
        left += goes_left ? 1 : 0;
        right -= goes_left ? 0 : 1;
      }
      lefts[begin / slice] = left - begin;
    });
    std::size_t const middle = std::reduce(lefts.begin(), lefts.end());
    std::exclusive_scan(lefts.begin(), lefts.end(), lefts.begin(), std::size_t{0});
    each_slice(execution, documents.size(), [&](std::size_t begin, std::size_t end) {
      std::size_t const before = lefts[begin / slice];
      std::size_t const count = (end < documents.size() ? lefts[begin / slice + 1] : middle) - before;
      std::ranges::copy(moved.subspan(begin, count), documents.subspan(before).begin());
      // Past the end if no document of this slice goes right.
      std::ranges::reverse_copy(moved.subspan(begin + count, end - begin - count),
                                documents.subspan(middle + begin - before).begin());
    });
    return leaf.begin + middle;
  }

  /// body(begin, end) for each slice of n documents.
  template <Execution E, class Body>
  static void each_slice(E const& execution, std::size_t n, Body const& body) {
    for_each_block(execution, (n + slice - 1) / slice,
                   [&](std::size_t b) { body(b * slice, std::min(n, (b + 1) * slice)); });
  }

  void describe(Tree& tree, Task const& task, std::size_t leaf) const {
    GradientSum const& total = leaves_[leaf].total;
    tree.leaf.resize(leaves_.size());
    tree.statistics.leaf_weight.resize(leaves_.size());
    tree.statistics.leaf_count.resize(leaves_.size());
    tree.leaf[leaf] = task.learning_rate * task.search.value(total);
    tree.statistics.leaf_weight[leaf] = task.gradients.hessian(total);
    tree.statistics.leaf_count[leaf] = task.gradients.count(total);
  }

  BinnedFeatures const& data_;
  TreeOptions options_;
  std::vector<Leaf> leaves_;
  std::vector<Histograms> histograms_;  // by leaf
  std::vector<std::uint32_t> documents_;
  std::vector<std::uint32_t> moved_;
  std::vector<GradientSum> sums_;  // of the documents of the present leaf
};

}  // namespace fltr::detail
