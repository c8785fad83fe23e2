#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include <fltr/aggregators/detail/mean_around_median.hpp>
#include <fltr/aggregators/detail/robust_round.hpp>
#include <fltr/aggregators/detail/sorted_columns.hpp>
#include <fltr/concepts/aggregator.hpp>
#include <fltr/concepts/robust_rule.hpp>

namespace fltr {

/// Mean around the median (Xie et al. 2018): for each parameter the mean of the n − f values nearest the median, with
/// equal weights. Of two values at the same distance the smaller is kept.
///
/// Guarantee: with 2f < n the median lies in the range of the honest values. At least n − f honest values lie in this
/// range, so that no kept value is farther from the median than the whole range is wide.
///
/// Cost: n d log² n comparisons. Memory: 4 n d bytes for the messages.
struct Meamed {
  using State = RobustReport;

  std::size_t malicious = 1;  ///< f, the number of malicious clients to withstand
  bool strict = false;        ///< refuse rounds without the guarantee

  [[nodiscard]] std::size_t minimum_messages() const { return (strict ? 2 : 1) * malicious + 1; }
  [[nodiscard]] bool guaranteed(std::size_t clients) const { return clients >= 2 * malicious + 1; }

  [[nodiscard]] std::vector<float> combine(MessageRows const& rows, std::span<float const>) const {
    detail::require_rows("Meamed", *this, rows);
    std::size_t const kept = rows.clients() - malicious;
    return detail::by_sorted_column(
        rows, [=](detail::SortedColumn values) { return detail::mean_around_median(values, kept); });
  }

  template <FlatMessage M>
  void aggregate(std::span<ClientMessage<M> const> messages, ParametricRanker auto& ranker, State& state) const {
    detail::aggregate_rows(*this, messages, ranker, state);
  }
};
static_assert(Aggregator<Meamed> && RobustRule<Meamed>);

}  // namespace fltr
