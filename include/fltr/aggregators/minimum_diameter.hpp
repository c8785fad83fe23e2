#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fltr/aggregators/detail/conflict_free_rows.hpp>
#include <fltr/aggregators/detail/robust_round.hpp>
#include <fltr/aggregators/detail/row_distances.hpp>
#include <fltr/aggregators/detail/row_set.hpp>
#include <fltr/concepts/aggregator.hpp>
#include <fltr/concepts/robust_rule.hpp>
#include <fltr/core/error.hpp>

namespace fltr {

/// Minimum-diameter averaging, MDA (El Mhamdi et al. 2020, after Rousseeuw 1985): the mean of the n − f models with the
/// smallest diameter, which is the largest distance between two of them. Of several such subsets it is the first in
/// lexicographic order. All clients have equal weights.
///
/// Guarantee: with 2f < n, the subset contains an honest model, and no model of it is farther from this one than the
/// diameter of the honest models.
///
/// The subset is exact. The search takes up to n · 1.47^f steps, and at most n + 2 f log₂ n² if malicious models are far
/// from honest ones. If it needs more than `most_steps`, `combine` throws std::invalid_argument.
///
/// Cost: n² d / 2 for the distances, n² log n to sort them, n² / 64 per step. Memory: 4 n d bytes for the messages,
/// 16 n² for the distances.
struct MinimumDiameter {
  using State = RobustReport;

  std::size_t malicious = 1;             ///< f, the number of malicious clients to withstand
  std::uint64_t most_steps = 1'000'000;  ///< of the search
  bool strict = false;                   ///< refuse rounds without the guarantee

  [[nodiscard]] std::size_t minimum_messages() const { return (strict ? 2 : 1) * malicious + 1; }
  [[nodiscard]] bool guaranteed(std::size_t clients) const { return clients >= 2 * malicious + 1; }

  /// The rows of the subset, in ascending order.
  [[nodiscard]] std::vector<std::size_t> select(MessageRows const& rows, std::span<float const> = {}) const {
    detail::require_rows("MinimumDiameter", *this, rows);
    detail::RowDistances const distances(rows);
    std::size_t const n = rows.clients();
    detail::RowSet all(n);
    for (std::size_t i = 0; i < n; ++i) all.insert(i);
    std::uint64_t steps = most_steps;

    // The smallest limit for which at most f rows must be left out. No distance is below 0.
    std::vector<double> limits{0.0};
    for (std::size_t i = 0; i < n; ++i)
      for (double const limit : distances.row(i).first(i)) limits.push_back(limit);
    std::ranges::sort(limits);
    limits.erase(std::unique(limits.begin(), limits.end()), limits.end());
    auto const smallest = std::ranges::partition_point(limits, [&](double limit) {
      bool const possible = detail::ConflictFreeRows(distances, limit, steps).possible(all, malicious);
      require_steps(steps, n);
      return !possible;
    });

    detail::ConflictFreeRows search(distances, *smallest, steps);
    std::vector<std::size_t> chosen;
    std::size_t left_out = malicious;
    for (std::size_t i = 0; chosen.size() < n - malicious; ++i) {
      if (!all.contains(i)) continue;
      std::size_t const in_conflict = detail::RowSet::common(search.conflicts(i), all);
      detail::RowSet others = all;
      others.erase(search.conflicts(i));
      if (in_conflict == 0 || (in_conflict <= left_out && search.possible(others, left_out - in_conflict))) {
        chosen.push_back(i);
        all = std::move(others);
        left_out -= in_conflict;
      } else {
        all.erase(i);
        --left_out;
      }
      require_steps(steps, n);
    }
    return chosen;
  }
  /// The model of the rows that `select` chose.
  [[nodiscard]] std::vector<float> combine_selected(MessageRows const& rows,
                                                    std::span<std::size_t const> chosen) const {
    return detail::mean_of_rows(rows, chosen);
  }
  [[nodiscard]] std::vector<float> combine(MessageRows const& rows, std::span<float const>) const {
    return combine_selected(rows, select(rows));
  }

  template <FlatMessage M>
  void aggregate(std::span<ClientMessage<M> const> messages, ParametricRanker auto& ranker, State& state) const {
    detail::aggregate_selected(*this, messages, ranker, state);
  }

 private:
  void require_steps(std::uint64_t left, std::size_t messages) const {
    if (left == 0)
      throw_requirement("MinimumDiameter", "a search of at most " + std::to_string(most_steps) + " steps (most_steps)",
                        "a longer one for " + std::to_string(messages) + " messages with " + std::to_string(malicious) +
                            " of them malicious");
  }
};
static_assert(Aggregator<MinimumDiameter> && SelectingRule<MinimumDiameter>);

}  // namespace fltr
