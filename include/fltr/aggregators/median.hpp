#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <fltr/aggregators/detail/robust_round.hpp>
#include <fltr/aggregators/detail/sorted_columns.hpp>
#include <fltr/concepts/aggregator.hpp>
#include <fltr/concepts/robust_rule.hpp>

namespace fltr {

/// The median of an even number of values.
enum class EvenMedian : std::uint8_t {
  mean,   ///< the mean of the two middle values (Yin et al. 2018)
  lower,  ///< the smaller of the two middle values
  upper   ///< the larger of the two middle values
};

/// The coordinate-wise median (Yin et al. 2018). All clients have equal weights.
///
/// Guarantee: with 2f < n, every parameter lies between the smallest and the largest value of the honest clients. With
/// fewer messages the rule refuses.
///
/// Cost: n d log² n comparisons. Memory: 4 n d bytes for the messages.
struct Median {
  using State = RobustReport;

  std::size_t malicious = 1;           ///< f, the number of malicious clients to withstand
  EvenMedian even = EvenMedian::mean;  ///< which median an even number of messages has

  [[nodiscard]] std::size_t minimum_messages() const { return 2 * malicious + 1; }
  [[nodiscard]] bool guaranteed(std::size_t clients) const { return clients >= minimum_messages(); }

  [[nodiscard]] std::vector<float> combine(MessageRows const& rows, std::span<float const>) const {
    detail::require_rows("Median", *this, rows);
    std::size_t const n = rows.clients();
    std::size_t const low = even == EvenMedian::upper ? n / 2 : (n - 1) / 2;
    std::size_t const high = even == EvenMedian::lower ? (n - 1) / 2 : n / 2;
    return detail::by_sorted_column(rows, [=](detail::SortedColumn v) { return 0.5 * (v[low] + v[high]); });
  }

  template <FlatMessage M>
  void aggregate(std::span<ClientMessage<M> const> messages, ParametricRanker auto& ranker, State& state) const {
    detail::aggregate_rows(*this, messages, ranker, state);
  }
};
static_assert(Aggregator<Median> && RobustRule<Median>);

}  // namespace fltr
