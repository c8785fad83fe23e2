#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <fltr/concepts/execution.hpp>
#include <fltr/concepts/query_set.hpp>
#include <fltr/concepts/ranker.hpp>
#include <fltr/core/serial.hpp>
#include <fltr/core/top_k.hpp>
#include <fltr/data/feature_pattern.hpp>
#include <fltr/metrics/detail/evaluation_blocks.hpp>

namespace fltr {

/// Where a ranker places the documents of a feature pattern. Ranks count from 1.
struct TargetRanks {
  std::uint64_t rank_sum = 0;
  std::uint64_t targets = 0;  ///< documents of the pattern
  std::uint64_t in_top_10 = 0;
  std::uint64_t queries = 0;  ///< with a document of the pattern

  /// The mean over all documents of the pattern; 0 without one.
  [[nodiscard]] double mean_rank() const noexcept { return per_target(rank_sum); }
  /// The share of the documents of the pattern that are among the first 10 of their list; 0 without one.
  [[nodiscard]] double top_10_share() const noexcept { return per_target(in_top_10); }

  void merge(TargetRanks const& other) {
    rank_sum += other.rank_sum;
    targets += other.targets;
    in_top_10 += other.in_top_10;
    queries += other.queries;
  }
  auto fields(auto&& visit) { return visit(rank_sum, targets, in_top_10, queries); }

 private:
  [[nodiscard]] double per_target(std::uint64_t sum) const noexcept {
    return targets > 0 ? static_cast<double>(sum) / static_cast<double>(targets) : 0.0;
  }
};

/// The ranks of the documents of a pattern in the lists of all queries, each ranked completely. Documents of equal
/// scores are in row order.
template <Execution E, Ranker R, QuerySet S>
[[nodiscard]] TargetRanks target_ranks(E const& execution, R const& ranker, S const& queries,
                                       FeaturePattern const& targets) {
  return execution.reduce(detail::evaluation_blocks(queries), [&](std::size_t block) {
    TargetRanks out;
    TopK rank;
    std::vector<float> scores;
    std::vector<std::uint32_t> order;
    std::size_t const end = std::min<std::size_t>(queries.size(), (block + 1) * detail::evaluation_block);
    for (std::size_t q = block * detail::evaluation_block; q < end; ++q) {
      auto const query = queries[q];
      scores.resize(query.document_count());
      ranker.score(query, scores);
      rank(scores, scores.size(), order);
      std::uint64_t const before = out.targets;
      for (std::size_t i = 0; i < order.size(); ++i) {
        if (!targets.matches(query.row(order[i]))) continue;
        out.rank_sum += i + 1;
        out.in_top_10 += i < 10 ? 1 : 0;
        ++out.targets;
      }
      out.queries += out.targets > before ? 1 : 0;
    }
    return out;
  });
}
template <Ranker R, QuerySet S>
[[nodiscard]] TargetRanks target_ranks(R const& ranker, S const& queries, FeaturePattern const& targets) {
  return target_ranks(Serial{}, ranker, queries, targets);
}

}  // namespace fltr
