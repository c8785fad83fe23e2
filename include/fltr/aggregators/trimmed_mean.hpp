#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <fltr/aggregators/detail/robust_round.hpp>
#include <fltr/aggregators/detail/sorted_columns.hpp>
#include <fltr/concepts/aggregator.hpp>
#include <fltr/concepts/robust_rule.hpp>

namespace fltr {

/// The coordinate-wise trimmed mean (Yin et al. 2018): for each parameter the f smallest and the f largest values are
/// left out, and the others are averaged with equal weights.
///
/// Guarantee: with 2f < n, every parameter lies between the smallest and the largest value of the honest clients. With
/// fewer messages no value remains, and the rule refuses.
///
/// Cost: n d log² n comparisons. Memory: 4 n d bytes for the messages.
struct TrimmedMean {
  using State = RobustReport;

  std::size_t malicious = 1;  ///< f, the number of malicious clients to withstand

  [[nodiscard]] std::size_t minimum_messages() const { return 2 * malicious + 1; }
  [[nodiscard]] bool guaranteed(std::size_t clients) const { return clients >= minimum_messages(); }

  [[nodiscard]] std::vector<float> combine(MessageRows const& rows, std::span<float const>) const {
    detail::require_rows("TrimmedMean", *this, rows);
    auto const kept = static_cast<double>(rows.clients() - 2 * malicious);
    return detail::by_sorted_column(rows, [&](detail::SortedColumn v) {
      double sum = 0.0;
      for (std::size_t j = malicious; j < v.size() - malicious; ++j) sum += v[j];
      return sum / kept;
    });
  }

  template <FlatMessage M>
  void aggregate(std::span<ClientMessage<M> const> messages, ParametricRanker auto& ranker, State& state) const {
    detail::aggregate_rows(*this, messages, ranker, state);
  }
};
static_assert(Aggregator<TrimmedMean> && RobustRule<TrimmedMean>);

}  // namespace fltr
