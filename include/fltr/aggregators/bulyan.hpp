#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <fltr/aggregators/detail/iterated_krum.hpp>
#include <fltr/aggregators/detail/krum_scores.hpp>
#include <fltr/aggregators/detail/mean_around_median.hpp>
#include <fltr/aggregators/detail/robust_round.hpp>
#include <fltr/aggregators/detail/row_distances.hpp>
#include <fltr/aggregators/detail/sorted_columns.hpp>
#include <fltr/aggregators/krum_convention.hpp>
#include <fltr/concepts/aggregator.hpp>
#include <fltr/concepts/robust_rule.hpp>

namespace fltr {

/// How Bulyan chooses its rows.
enum class BulyanSelection : std::uint8_t {
  iterated_krum,   ///< the choice of Krum on the rows that are left, n − 2f times (El Mhamdi et al. 2018)
  multi_krum_once  ///< the n − 2f lowest scores of one pass of Krum
};

/// Bulyan (El Mhamdi, Guerraoui and Rouault 2018): chooses θ = n − 2f models by Krum, with max(1, rows left − f − 2)
/// neighbours. Then every parameter is the mean of the θ − 2f values nearest the median of the chosen models.
///
/// Guarantee: with n ≥ 4f + 3, every parameter is near those of the honest clients, and the error grows with √d less
/// than that of Krum. With fewer messages the rule computes if θ − 2f ≥ 1.
///
/// With f = 1 or 2 the last choices have one neighbour, where the two nearest rows always tie. The lowest row wins, so the
/// chosen set then depends on the order of the clients. With f ≥ 3 the last choice has f − 1 neighbours.
///
/// Cost: n² d / 2 for the distances, and n² θ for the choice: with 10,000 clients the choice takes minutes. Memory: 4 n d bytes for the messages, 16 n² for the
/// distances.
struct Bulyan {
  using State = RobustReport;

  std::size_t malicious = 1;                                   ///< f, the number of malicious clients to withstand
  BulyanSelection selection = BulyanSelection::iterated_krum;  ///< how the models are chosen
  bool strict = false;                                         ///< refuse rounds without the guarantee

  [[nodiscard]] std::size_t minimum_messages() const { return 4 * malicious + (strict ? 3 : 1); }
  [[nodiscard]] bool guaranteed(std::size_t clients) const { return clients >= 4 * malicious + 3; }

  /// The rows that are chosen, in the order of choice.
  [[nodiscard]] std::vector<std::size_t> select(MessageRows const& rows, std::span<float const> = {}) const {
    detail::require_rows("Bulyan", *this, rows);
    detail::RowDistances const distances(rows);
    std::size_t const n = rows.clients();
    std::size_t const count = n - 2 * malicious;
    if (selection == BulyanSelection::iterated_krum) return detail::iterated_krum(distances, malicious, count);
    std::size_t const neighbours = krum_neighbours(KrumNeighbours::at_least_one, n, malicious);
    return detail::lowest_scores(detail::krum_scores(distances, neighbours, KrumDistance::squared), count);
  }
  /// The model of the rows that `select` chose.
  [[nodiscard]] std::vector<float> combine_selected(MessageRows const& rows,
                                                    std::span<std::size_t const> chosen) const {
    std::size_t const kept = chosen.size() - 2 * malicious;
    return detail::by_sorted_column(
        rows, chosen, [=](detail::SortedColumn values) { return detail::mean_around_median(values, kept); });
  }
  [[nodiscard]] std::vector<float> combine(MessageRows const& rows, std::span<float const>) const {
    return combine_selected(rows, select(rows));
  }

  template <FlatMessage M>
  void aggregate(std::span<ClientMessage<M> const> messages, ParametricRanker auto& ranker, State& state) const {
    detail::aggregate_selected(*this, messages, ranker, state);
  }
};
static_assert(Aggregator<Bulyan> && SelectingRule<Bulyan>);

}  // namespace fltr
