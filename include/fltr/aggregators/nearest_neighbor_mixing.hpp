#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <fltr/aggregators/detail/aggregate_gathered.hpp>
#include <fltr/aggregators/detail/robust_round.hpp>
#include <fltr/aggregators/detail/row_distances.hpp>
#include <fltr/concepts/aggregator.hpp>
#include <fltr/concepts/robust_rule.hpp>
#include <fltr/core/state.hpp>
#include <fltr/messages/client_message.hpp>

namespace fltr {

/// Nearest-neighbor mixing (Allouah et al. 2023, "Fixing by Mixing"): each message becomes the mean of its n − f nearest
/// messages, itself included, and the wrapped aggregator A works with these means. It brings honest messages together,
/// which makes robust rules near-optimal if honest clients differ. f is `malicious`, usually the same as that of A.
///
/// Distances are Euclidean. Of equal distances the lower row is nearer, but a message always counts for itself. Messages
/// have equal weights in a mean; `interactions` of a message do not change. A mean is added up in double, in the order
/// of the rows, so rows with the same neighbours get the same bits. With f = 0 all rows become the mean of all.
///
/// If A is a RobustRule, NearestNeighborMixing<A> is one too; its guarantee also needs n > 2f. A report of A names the
/// client around whose message a mean was formed.
///
/// Cost: n² d / 2 for the distances and n (n − f) d for the means. Memory: a copy of the messages, and 8 n² bytes.
template <class A>
struct NearestNeighborMixing {
  struct State {
    fltr::State<A> inner{};  ///< of the wrapped aggregator
    auto fields(auto&& visit) { return visit(inner); }
    [[nodiscard]] bool consistent() const { return detail::is_consistent_state(inner); }
  };

  A aggregator{};
  std::size_t malicious = 1;  ///< f, the number of malicious clients to withstand

  [[nodiscard]] std::uint64_t minimum_messages() const {
    return std::max<std::uint64_t>(fltr::minimum_messages(aggregator), malicious + 1);
  }

  /// The rows that the wrapped aggregator gets. Throws TooFewMessages if there is no row to average.
  [[nodiscard]] MessageRows mix(MessageRows const& rows) const {
    std::size_t const n = rows.clients();
    if (n < malicious + 1) throw TooFewMessages("NearestNeighborMixing", malicious + 1, n);
    detail::RowDistances const distances(rows);
    MessageRows means(n, rows.parameters());
    for (std::size_t i = 0; i < n; ++i)
      std::ranges::copy(detail::mean_of_rows(rows, nearest(i, distances.row(i))), means.row(i).begin());
    return means;
  }

  template <class M, class R>
  requires detail::Wrappable<A, M, R>
  void aggregate(std::span<ClientMessage<M> const> messages, R& ranker, State& state) const {
    MessageRows const means = mix(message_rows(messages));
    std::vector<ClientMessage<M>> mixed(messages.begin(), messages.end());
    for (std::size_t c = 0; c < mixed.size(); ++c) std::ranges::copy(means.row(c), mixed[c].message.values.begin());
    detail::aggregate_gathered(aggregator, std::span<ClientMessage<M> const>(mixed), ranker, state.inner);
  }

  [[nodiscard]] std::vector<float> combine(MessageRows const& rows, std::span<float const> global) const
  requires RobustRule<A>
  {
    return aggregator.combine(mix(rows), global);
  }
  [[nodiscard]] bool guaranteed(std::size_t clients) const
  requires RobustRule<A>
  {
    return clients > 2 * malicious && aggregator.guaranteed(clients);
  }
  [[nodiscard]] std::vector<std::size_t> select(MessageRows const& rows, std::span<float const> global = {}) const
  requires SelectingRule<A>
  {
    return aggregator.select(mix(rows), global);
  }

 private:
  /// Row i and the n − f − 1 others with the smallest distances, in the order of the rows.
  [[nodiscard]] std::vector<std::size_t> nearest(std::size_t i, std::span<double const> distances) const {
    std::size_t const counted = distances.size() - malicious - 1;
    std::vector<double> others(distances.begin(), distances.end());
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
    double furthest = -1.0;  // of the counted distances
    std::size_t ties = 0;    // of the counted rows, those at the furthest distance
    if (counted > 0) {
      auto const last = others.begin() + static_cast<std::ptrdiff_t>(counted - 1);
      std::ranges::nth_element(others, last);
      furthest = *last;
      ties = static_cast<std::size_t>(std::count(others.begin(), last + 1, furthest));
    }
    std::vector<std::size_t> chosen;
    chosen.reserve(counted + 1);
    for (std::size_t j = 0; j < distances.size(); ++j) {
      bool const tied = j != i && distances[j] == furthest && ties > 0;
      if (tied) --ties;
      if (j == i || distances[j] < furthest || tied) chosen.push_back(j);
    }
    return chosen;
  }
};
template <class A>
NearestNeighborMixing(A, std::size_t) -> NearestNeighborMixing<A>;

}  // namespace fltr
