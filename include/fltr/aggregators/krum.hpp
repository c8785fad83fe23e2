#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include <fltr/aggregators/detail/krum_choice.hpp>
#include <fltr/aggregators/detail/krum_scores.hpp>
#include <fltr/aggregators/detail/robust_round.hpp>
#include <fltr/aggregators/detail/row_distances.hpp>
#include <fltr/aggregators/krum_convention.hpp>
#include <fltr/concepts/aggregator.hpp>
#include <fltr/concepts/robust_rule.hpp>

namespace fltr {

/// Krum (Blanchard et al. 2017): the model of the client with the lowest score. The score of a client is the sum of the
/// squared distances of its model to the n − f − 2 nearest models of other clients. Of equal scores the lowest row wins.
/// With one neighbour (n = f + 3) the two rows that are nearest to each other always tie, and the order of the clients
/// decides which of the two wins.
///
/// Guarantee (Blanchard et al.): with n ≥ 2f + 3 clients, f of them malicious, the model is near those of the honest
/// clients. The proof is for the published `neighbours` and `distance`. With fewer clients Krum computes if a row has a
/// neighbour, and f equal malicious models can win.
///
/// Cost: n² d / 2 for the distances, about 20 n² for the scores. Memory: 4 n d bytes for the messages, 8 n² for the
/// distances.
struct Krum {
  using State = RobustReport;

  std::size_t malicious = 1;                              ///< f, the number of malicious clients to withstand
  KrumNeighbours neighbours = KrumNeighbours::published;  ///< how many nearest rows count
  KrumDistance distance = KrumDistance::squared;          ///< what is added up for each of them
  bool strict = false;                                    ///< refuse rounds of fewer than 2f + 3 messages

  [[nodiscard]] std::size_t minimum_messages() const {
    std::size_t const least = krum_minimum(neighbours, malicious);
    return strict ? std::max(least, 2 * malicious + 3) : least;
  }
  [[nodiscard]] bool guaranteed(std::size_t clients) const {
    return clients >= 2 * malicious + 3 && distance == KrumDistance::squared &&
           krum_neighbours(neighbours, clients, malicious) ==
               krum_neighbours(KrumNeighbours::published, clients, malicious);
  }

  /// The score of every row.
  [[nodiscard]] std::vector<double> scores(MessageRows const& rows) const {
    detail::require_rows("Krum", *this, rows);
    return detail::krum_scores(detail::RowDistances(rows), counted(rows), distance);
  }
  [[nodiscard]] std::vector<std::size_t> select(MessageRows const& rows, std::span<float const> = {}) const {
    detail::require_rows("Krum", *this, rows);
    return detail::krum_choice(detail::RowDistances(rows), counted(rows), distance, 1);
  }
  /// The model of the rows that `select` chose.
  [[nodiscard]] std::vector<float> combine_selected(MessageRows const& rows,
                                                    std::span<std::size_t const> chosen) const {
    auto const row = rows.row(chosen.front());
    return {row.begin(), row.end()};
  }
  [[nodiscard]] std::vector<float> combine(MessageRows const& rows, std::span<float const>) const {
    return combine_selected(rows, select(rows));
  }

  template <FlatMessage M>
  void aggregate(std::span<ClientMessage<M> const> messages, ParametricRanker auto& ranker, State& state) const {
    detail::aggregate_selected(*this, messages, ranker, state);
  }

 private:
  [[nodiscard]] std::size_t counted(MessageRows const& rows) const {
    return krum_neighbours(neighbours, rows.clients(), malicious);
  }
};
static_assert(Aggregator<Krum> && SelectingRule<Krum>);

}  // namespace fltr
