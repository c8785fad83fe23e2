#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include <fltr/aggregators/detail/krum_choice.hpp>
#include <fltr/aggregators/detail/robust_round.hpp>
#include <fltr/aggregators/detail/row_distances.hpp>
#include <fltr/aggregators/krum.hpp>
#include <fltr/aggregators/krum_convention.hpp>
#include <fltr/concepts/aggregator.hpp>
#include <fltr/concepts/robust_rule.hpp>

namespace fltr {

/// Multi-Krum (Blanchard et al. 2017): the mean of the models with the lowest scores of one pass of Krum, with equal
/// weights. Of equal scores the lower row is chosen.
///
/// Cost and memory are those of Krum. `guaranteed` is the condition of Krum's theorem, and that at most n − f models are
/// averaged: more would include a malicious one. The paper proves the theorem for Krum. Here it bounds the score of every
/// averaged model by the largest score of an honest one.
struct MultiKrum {
  using State = RobustReport;

  std::size_t malicious = 1;                              ///< f, the number of malicious clients to withstand
  std::size_t averaged = 0;                               ///< how many models are averaged; 0: n − f
  KrumNeighbours neighbours = KrumNeighbours::published;  ///< how many nearest rows count for a score
  KrumDistance distance = KrumDistance::squared;          ///< what is added up for each of them
  bool strict = false;                                    ///< refuse rounds of too few messages for the guarantee

  [[nodiscard]] std::size_t minimum_messages() const {
    return std::max(krum().minimum_messages(), averaged + (strict ? malicious : 0));
  }
  [[nodiscard]] bool guaranteed(std::size_t clients) const {
    return krum().guaranteed(clients) && averaged + malicious <= clients;
  }

  /// The score of every row.
  [[nodiscard]] std::vector<double> scores(MessageRows const& rows) const {
    detail::require_rows("MultiKrum", *this, rows);
    return krum().scores(rows);
  }
  /// The rows that are averaged, in ascending order.
  [[nodiscard]] std::vector<std::size_t> select(MessageRows const& rows, std::span<float const> = {}) const {
    detail::require_rows("MultiKrum", *this, rows);
    return detail::krum_choice(detail::RowDistances(rows), krum_neighbours(neighbours, rows.clients(), malicious),
                               distance, averaged > 0 ? averaged : rows.clients() - malicious);
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
  [[nodiscard]] Krum krum() const { return {malicious, neighbours, distance, strict}; }
};
static_assert(Aggregator<MultiKrum> && SelectingRule<MultiKrum>);

}  // namespace fltr
