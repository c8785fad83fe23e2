#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <fltr/data/query_view.hpp>
#include <fltr/rankers/detail/bit_vector_trees.hpp>
#include <fltr/rankers/detail/byte_lanes.hpp>
#include <fltr/rankers/detail/feature_codes.hpp>
#include <fltr/rankers/tree.hpp>

namespace fltr::detail {

/// Scores many documents at once, bit-equal to evaluating the trees node by node.
///
/// Trees become sets of leaves (BitVectorTrees) and documents become bytes (FeatureCodes). Evaluated node by node are:
/// trees of more than 256 leaves, trees with splits that take zero for a missing value, documents with a NaN, and all
/// trees of a forest with more than 65,536 columns of codes. Documents are scored in chunks and trees in blocks, so
/// that a block stays in the cache for a whole chunk.
class ForestScorer {
 public:
  explicit ForestScorer(std::span<Tree const> trees) : place_(trees.size(), walked) {
    std::vector<Tree const*> held;
    for (Tree const& tree : trees)
      if (can_hold(tree)) held.push_back(&tree);
    FeatureCodes codes(held);
    bool const few_columns = codes.column_count() <= BitVectorTrees::most_columns;
    if (few_columns) codes_ = std::move(codes);
    for (std::size_t t = 0; t < trees.size(); ++t) {
      if (!few_columns || !can_hold(trees[t])) continue;
      place_[t] = bit_vectors_.size();
      bit_vectors_.add(trees[t], codes_);
    }
    cut_blocks();
  }

  /// Computes one score per document. `trees` must be the trees of the constructor.
  void score(std::span<Tree const> trees, QueryView query, std::span<double> sums) const {
    Work work(codes_.column_count(), std::min(sums.size(), chunk));
    for (std::size_t first = 0; first < sums.size(); first += chunk) {
      std::size_t const n = std::min(chunk, sums.size() - first);
      encode(query, first, n, work);
      score_chunk(trees, query, first, sums.subspan(first, n), work);
    }
  }

 private:
  static constexpr std::size_t walked = static_cast<std::size_t>(-1);
  static constexpr std::size_t group = BitVectorTrees::widest;
  static constexpr std::size_t chunk = 4 * group;
  static constexpr std::size_t block_bytes = std::size_t{128} * 1024;

  // The bytes of a chunk of documents, by group and then by column.
  struct Work {
    Work(std::size_t columns, std::size_t documents)
        : bytes_per_document(columns), codes(padded(documents) / ByteLanes::size * columns) {}
    std::int8_t* group_codes(std::size_t first) {
      return reinterpret_cast<std::int8_t*>(codes.data()) + bytes_per_document * first;
    }
    std::size_t bytes_per_document;
    std::vector<ByteLanes> codes;
    std::array<std::uint8_t, chunk> has_nan;
  };

  static std::size_t padded(std::size_t documents) {
    constexpr std::size_t step = ByteLanes::size;
    return (documents + step - 1) / step * step;
  }

  static bool can_hold(Tree const& tree) {
    return tree.leaf_count() <= BitVectorTrees::most_leaves &&
           std::none_of(tree.decision.begin(), tree.decision.end(),
                        [](unsigned d) { return (d & Tree::zero_is_missing) != 0U; });
  }

  void cut_blocks() {
    std::size_t bytes = 0;
    for (std::size_t t = 0; t < place_.size(); ++t) {
      bytes += place_[t] == walked ? 0 : bit_vectors_.bytes(place_[t]);
      if (bytes < block_bytes) continue;
      block_ends_.push_back(t + 1);
      bytes = 0;
    }
    block_ends_.push_back(place_.size());
  }

  static bool any_nan(std::span<float const> row) {
    std::uint32_t count = 0;  // not a bool: that would end the loop, which then would not be vectorized
    for (float const x : row) count += x != x ? 1 : 0;
    return count > 0;
  }

  void encode(QueryView query, std::size_t from, std::size_t n, Work& work) const {
    for (std::size_t first = 0; first < n; first += group) {
      std::size_t const documents = std::min(group, n - first);
      codes_.encode(query.rows() + (from + first) * query.stride(), query.stride(), documents, padded(documents),
                    work.group_codes(first));
    }
    for (std::size_t i = 0; i < n; ++i) work.has_nan[i] = any_nan(query.row(from + i)) ? 1 : 0;
  }

  void score_chunk(std::span<Tree const> trees, QueryView query, std::size_t from, std::span<double> sums,
                   Work& work) const {
    std::ranges::fill(sums, 0.0);
    std::size_t begin = 0;
    for (std::size_t const end : block_ends_) {
      for (std::size_t first = 0; first < sums.size(); first += group) {
        auto const some = sums.subspan(first, std::min(group, sums.size() - first));
        for (std::size_t t = begin; t < end; ++t) {
          if (place_[t] != walked)
            add_leaves(place_[t], work.group_codes(first), some);
          else
            for (std::size_t i = 0; i < some.size(); ++i)
              some[i] += trees[t].leaf[trees[t].leaf_of(query.row(from + first + i))];
        }
      }
      begin = end;
    }
    for (std::size_t i = 0; i < sums.size(); ++i)
      if (work.has_nan[i] != 0) sums[i] = sum_of_leaves(trees, query.row(from + i));
  }

  void add_leaves(std::size_t place, std::int8_t const* codes, std::span<double> sums) const {
    std::array<std::uint8_t, group> leaves;
    bit_vectors_.ask(place, codes, padded(sums.size()), leaves.data());
    double const* const scores = bit_vectors_.scores(place);
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += scores[leaves[i]];
  }

  FeatureCodes codes_;
  BitVectorTrees bit_vectors_;
  std::vector<std::size_t> place_;  // of a tree among the bit vectors, or `walked`
  std::vector<std::size_t> block_ends_;
};

}  // namespace fltr::detail
