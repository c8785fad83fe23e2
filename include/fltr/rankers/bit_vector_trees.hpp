#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <fltr/core/byte_lanes.hpp>
#include <fltr/rankers/feature_codes.hpp>
#include <fltr/rankers/tree.hpp>

namespace fltr {

/// Trees as sets of leaves, in the manner of QuickScorer (Lucchese et al. 2015, 2016) and RapidScorer (Ye et al. 2018).
///
/// The leaves of a tree are numbered from left to right. A document that goes right at a node can no longer end in the
/// leaves to the left below that node; of the leaves that remain when all nodes were asked, in any order, the first is
/// where it ends. So there are no paths to follow, each question is put to many documents at once, one per byte of a
/// register, and the leaves that remain are eight bits of a byte: a plane. The questions are sorted by plane, which
/// stays in a register until its last question.
///
/// Each node may be mirrored, so that the smaller of its subtrees is on the left: a tree of any shape has at most
/// n log2(n) / 2 bits to clear, and few nodes reach beyond one plane.
class BitVectorTrees {
 public:
  static constexpr std::size_t most_leaves = 256;  ///< of a tree: the number of a leaf is a byte
  static constexpr std::size_t most_columns = 65'536;
  static constexpr std::size_t widest = 128;  ///< documents that are asked at once

  /// Adds a tree of at most `most_leaves` leaves. Requires the codes of a set of trees that has it.
  void add(Tree const& tree, FeatureCodes const& codes);

  [[nodiscard]] std::size_t size() const noexcept { return trees_.size(); }

  /// In which leaf of tree t each of `width` documents ends; a multiple of simd::Bytes::size, up to `widest`.
  void ask(std::size_t t, std::int8_t const* codes, std::size_t width, std::uint8_t* leaves) const {
    ask_in<widest / simd::Bytes::size>(t, codes, width, leaves);
  }
  /// The scores in the leaves of tree t, by the numbers that `ask` gives them.
  [[nodiscard]] double const* scores(std::size_t t) const noexcept { return scores_.data() + trees_[t].score; }
  /// How much memory a walk through tree t reads.
  [[nodiscard]] std::size_t bytes(std::size_t t) const noexcept {
    auto const end = t + 1 < trees_.size() ? trees_[t + 1] : Place{steps_.size(), planes_.size(), 0, scores_.size()};
    return (end.step - trees_[t].step) * sizeof(Step) + (end.score - trees_[t].score) * sizeof(double);
  }

 private:
  // A question, and the leaves of its plane that a document loses by the answer yes.
  struct Step {
    std::uint16_t column;
    std::int8_t rank;
    std::uint8_t leaves;
  };
  // How many questions there are to the eight leaves of a plane: those of nodes as they are (is code > rank?), then
  // those of mirrored nodes (is code < rank?).
  struct Plane {
    std::uint32_t above;
    std::uint32_t below;
  };
  struct Place {
    std::size_t step, plane, planes, score;  // the first of each, and how many planes
  };
  struct Asked {
    std::size_t plane;
    bool mirrored;
    Step step;
  };

  // The number of registers is a constant for the compiler, so that they stay registers.
  template <std::size_t Registers>
  void ask_in(std::size_t t, std::int8_t const* codes, std::size_t width, std::uint8_t* leaves) const {
    if constexpr (Registers > 1) {
      if (width < Registers * simd::Bytes::size) return ask_in<Registers - 1>(t, codes, width, leaves);
    }
    ask_exactly<Registers>(t, codes, leaves);
  }
  template <std::size_t Registers>
  void ask_exactly(std::size_t t, std::int8_t const* codes, std::uint8_t* leaves) const;

  std::vector<Place> trees_;
  std::vector<Plane> planes_;  // of a tree: the last one first
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
      // code <= rank is code < rank + 1, and no rank is the greatest byte
      asked.push_back({p,
                       mirrored,
                       {static_cast<std::uint16_t>(column), static_cast<std::int8_t>(rank + (mirrored ? 1 : 0)),
                        static_cast<std::uint8_t>(from & to)}});
    }
  }
  std::ranges::stable_sort(asked, [](Asked const& a, Asked const& b) {
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
  using simd::Bytes;
  auto const zero = Bytes::filled(0);
  std::array<Bytes, Registers> found,
      base;  // the first plane with a leaf left: its leaves, and the number of its first
  found.fill(zero);
  base.fill(zero);
  Place const& place = trees_[t];
  Step const* step = steps_.data() + place.step;
  for (std::size_t p = place.planes; p-- > 0;) {
    Plane const& plane = planes_[place.plane + place.planes - 1 - p];
    std::array<Bytes, Registers> lost;
    lost.fill(zero);
    auto const each = [&](std::uint32_t questions, auto is_lost) {
      for (Step const* const end = step + questions; step != end; ++step) {
        std::int8_t const* const column = codes + step->column * Registers * Bytes::size;
        auto const rank = Bytes::filled(step->rank);
        auto const bits = Bytes::filled(static_cast<std::int8_t>(step->leaves));
        for (std::size_t r = 0; r < Registers; ++r)
          lost[r] = lost[r] | (is_lost(Bytes::load(column + r * Bytes::size), rank) & bits);
      }
    };
    each(plane.above, [](Bytes code, Bytes rank) { return code > rank; });
    each(plane.below, [](Bytes code, Bytes rank) { return rank > code; });
    auto const first = Bytes::filled(static_cast<std::int8_t>(8 * p));
    for (std::size_t r = 0; r < Registers; ++r) {
      auto const left = ~lost[r];
      auto const none = left == zero;
      found[r] = (found[r] & none) | left;
      base[r] = (base[r] & none) | (first & ~none);
    }
  }
  // The number of the lowest bit: one comparison for each of its three digits.
  for (std::size_t r = 0; r < Registers; ++r) {
    auto const lowest = found[r] & (zero - found[r]);
    auto const digit = [&](unsigned with, std::int8_t weight) {
      return ~((lowest & Bytes::filled(static_cast<std::int8_t>(with))) == zero) & Bytes::filled(weight);
    };
    auto const number = base[r] | digit(0xAA, 1) | digit(0xCC, 2) | digit(0xF0, 4);
    number.store(reinterpret_cast<std::int8_t*>(leaves) + r * Bytes::size);
  }
}

}  // namespace fltr
