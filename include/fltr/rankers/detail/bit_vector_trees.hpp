#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <fltr/rankers/detail/byte_lanes.hpp>
#include <fltr/rankers/detail/feature_codes.hpp>
#include <fltr/rankers/tree.hpp>

namespace fltr::detail {

/// Trees as sets of leaves, as in QuickScorer (Lucchese et al. 2015, 2016) and RapidScorer (Ye et al. 2018).
///
/// The leaves of a tree are numbered from left to right. A document that goes right at a node cannot end in the leaves
/// of the left subtree of that node. After all nodes were evaluated, in any order, the document ends in the first
/// remaining leaf. So no path is followed, and each node is evaluated for many documents at once, one per byte of a
/// register. A plane is a group of eight leaves, one bit of a byte for each. The comparisons are sorted by plane, so
/// that a plane stays in a register until its last comparison.
///
/// A node may be mirrored, so that the smaller one of its subtrees is on the left. Then a tree of any shape has at most
/// n log2(n) / 2 bits to clear, and few nodes concern more than one plane.
class BitVectorTrees {
 public:
  static constexpr std::size_t most_leaves = 256;  ///< of a tree: a leaf number fits a byte
  static constexpr std::size_t most_columns = 65'536;
  static constexpr std::size_t widest = 128;  ///< most documents that are evaluated at once

  /// Adds a tree of at most `most_leaves` leaves. `codes` must have been made from trees that include this one.
  void add(Tree const& tree, FeatureCodes const& codes);

  [[nodiscard]] std::size_t size() const noexcept { return trees_.size(); }

  /// Finds the leaf of tree t for each of `width` documents. `width` is a multiple of ByteLanes::size, at most
  /// `widest`.
  void ask(std::size_t t, std::int8_t const* codes, std::size_t width, std::uint8_t* leaves) const {
    ask_in<widest / ByteLanes::size>(t, codes, width, leaves);
  }
  /// The values of the leaves of tree t, by the leaf numbers of `ask`.
  [[nodiscard]] double const* scores(std::size_t t) const noexcept { return scores_.data() + trees_[t].score; }
  /// The memory that the evaluation of tree t reads.
  [[nodiscard]] std::size_t bytes(std::size_t t) const noexcept {
    auto const end = t + 1 < trees_.size() ? trees_[t + 1] : Place{steps_.size(), planes_.size(), 0, scores_.size()};
    return (end.step - trees_[t].step) * sizeof(Step) + (end.score - trees_[t].score) * sizeof(double);
  }

 private:
  // A comparison, and the leaves of its plane that it removes if it is true.
  struct Step {
    std::uint16_t column;
    std::int8_t rank;
    std::uint8_t leaves;
  };
  // The number of comparisons of a plane: first those of nodes that are not mirrored (code > rank), then those of
  // mirrored nodes (code < rank).
  struct Plane {
    std::uint32_t above;
    std::uint32_t below;
  };
  struct Place {
    std::size_t step, plane, planes, score;  // the index of the first of each, and the number of planes
  };
  struct Asked {
    std::size_t plane;
    bool mirrored;
    Step step;
  };

  // The number of registers is a compile-time constant, so that the values stay in registers.
  template <std::size_t Registers>
  void ask_in(std::size_t t, std::int8_t const* codes, std::size_t width, std::uint8_t* leaves) const {
    if constexpr (Registers > 1) {
      if (width < Registers * ByteLanes::size) return ask_in<Registers - 1>(t, codes, width, leaves);
    }
    ask_exactly<Registers>(t, codes, leaves);
  }
  template <std::size_t Registers>
  void ask_exactly(std::size_t t, std::int8_t const* codes, std::uint8_t* leaves) const;

  std::vector<Place> trees_;
  std::vector<Plane> planes_;  // of each tree, in reverse order
  std::vector<Step> steps_;
  std::vector<double> scores_;
};

inline void BitVectorTrees::add(Tree const& tree, FeatureCodes const& codes) {
  std::size_t const inner = tree.inner_count();
  std::vector<std::size_t> order;  // parents before children
  if (inner > 0) order.push_back(0);
  for (std::size_t i = 0; i < order.size(); ++i)
    for (std::int32_t const child : {tree.left[order[i]], tree.right[order[i]]})
      if (child >= 0) order.push_back(static_cast<std::size_t>(child));
  std::vector<std::size_t> leaves_below(inner);
  auto const leaves_of = [&](std::int32_t c) { return c < 0 ? 1 : leaves_below[static_cast<std::size_t>(c)]; };
  for (std::size_t i = order.size(); i-- > 0;)
    leaves_below[order[i]] = leaves_of(tree.left[order[i]]) + leaves_of(tree.right[order[i]]);

  std::size_t const planes = (tree.leaf_count() + 7) / 8;
  trees_.push_back({steps_.size(), planes_.size(), planes, scores_.size()});
  double* const scores = &*scores_.insert(scores_.end(), tree.leaf.begin(), tree.leaf.end());
  std::vector<std::size_t> first_leaf(inner);
  auto const number = [&](std::int32_t child, std::size_t first) {
    if (child >= 0)
      first_leaf[static_cast<std::size_t>(child)] = first;
    else
      scores[first] = tree.leaf[static_cast<std::size_t>(~child)];
  };
  std::vector<Asked> asked;
  for (std::size_t const n : order) {
    bool const mirrored = leaves_of(tree.left[n]) > leaves_of(tree.right[n]);
    auto const [small, large] =
        mirrored ? std::pair(tree.right[n], tree.left[n]) : std::pair(tree.left[n], tree.right[n]);
    std::size_t const begin = first_leaf[n], end = begin + leaves_of(small);
    number(small, begin);
    number(large, end);
    auto const [column, rank] = codes.question(tree.feature[n], tree.threshold[n]);
    for (std::size_t p = begin / 8; p <= (end - 1) / 8; ++p) {
      unsigned const from = begin > 8 * p ? 0xFFU << (begin - 8 * p) : 0xFFU;
      unsigned const to = end < 8 * p + 8 ? (1U << (end - 8 * p)) - 1U : 0xFFU;
      // code <= rank is code < rank + 1; no rank is the largest byte, so rank + 1 does not overflow
      asked.push_back({p,
                       mirrored,
                       {static_cast<std::uint16_t>(column), static_cast<std::int8_t>(rank + (mirrored ? 1 : 0)),
                        static_cast<std::uint8_t>(from & to)}});
    }
  }
  std::stable_sort(asked.begin(), asked.end(), [](Asked const& a, Asked const& b) {
    return a.plane != b.plane ? a.plane > b.plane : a.mirrored < b.mirrored;
  });
  planes_.resize(planes_.size() + planes);
  for (Asked const& a : asked) {
    Plane& plane = planes_[planes_.size() - 1 - a.plane];
    ++(a.mirrored ? plane.below : plane.above);
    steps_.push_back(a.step);
  }
}

template <std::size_t Registers>
void BitVectorTrees::ask_exactly(std::size_t t, std::int8_t const* codes, std::uint8_t* leaves) const {
  auto const zero = ByteLanes::filled(0);
  std::array<ByteLanes, Registers> found,
      base;  // of the first plane with a remaining leaf: its leaves, and the number of its first leaf
  found.fill(zero);
  base.fill(zero);
  Place const& place = trees_[t];
  Step const* step = steps_.data() + place.step;
  for (std::size_t p = place.planes; p-- > 0;) {
    Plane const& plane = planes_[place.plane + place.planes - 1 - p];
    std::array<ByteLanes, Registers> lost;
    lost.fill(zero);
    auto const each = [&](std::uint32_t questions, auto is_lost) {
      for (Step const* const end = step + questions; step != end; ++step) {
        std::int8_t const* const column = codes + step->column * Registers * ByteLanes::size;
        auto const rank = ByteLanes::filled(step->rank);
        auto const bits = ByteLanes::filled(static_cast<std::int8_t>(step->leaves));
        for (std::size_t r = 0; r < Registers; ++r)
          lost[r] = lost[r] | (is_lost(ByteLanes::load(column + r * ByteLanes::size), rank) & bits);
      }
    };
    each(plane.above, [](ByteLanes code, ByteLanes rank) { return code > rank; });
    each(plane.below, [](ByteLanes code, ByteLanes rank) { return rank > code; });
    auto const first = ByteLanes::filled(static_cast<std::int8_t>(8 * p));
    for (std::size_t r = 0; r < Registers; ++r) {
      auto const left = ~lost[r];
      auto const none = left == zero;
      found[r] = (found[r] & none) | left;
      base[r] = (base[r] & none) | (first & ~none);
    }
  }
  // The index of the lowest set bit: one comparison for each of its three binary digits.
  for (std::size_t r = 0; r < Registers; ++r) {
    auto const lowest = found[r] & (zero - found[r]);
    auto const digit = [&](unsigned with, std::int8_t weight) {
      return ~((lowest & ByteLanes::filled(static_cast<std::int8_t>(with))) == zero) & ByteLanes::filled(weight);
    };
    auto const number = base[r] | digit(0xAA, 1) | digit(0xCC, 2) | digit(0xF0, 4);
    number.store(reinterpret_cast<std::int8_t*>(leaves) + r * ByteLanes::size);
  }
}

}  // namespace fltr::detail
