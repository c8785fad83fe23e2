#pragma once

#include <concepts>
#include <cstdint>
#include <limits>
#include <string>

#include <fltr/aggregators/fixed_point.hpp>
#include <fltr/concepts/aggregator.hpp>
#include <fltr/concepts/message.hpp>
#include <fltr/concepts/round_release.hpp>
#include <fltr/concepts/sealing.hpp>
#include <fltr/messages/local_weights.hpp>

namespace fltr::detail {

/// Writes what the server sees of the messages of a round that asks `release.asked` clients, as the aggregator states it.
template <class A>
void set_server_view(A const& aggregator, RoundRelease& release) {
  release.view = composition::server_view<A>;
  if constexpr (Streaming<A>) release.altered = !composition::adds_linearly<A>();
  if constexpr (composition::NamesHook_sum_grid<A>) {
    static_assert(
        requires {
          { aggregator.sum_grid() } -> std::same_as<FixedPoint>;
        }, "fltr: the Aggregator's hook 'sum_grid' must be callable as FixedPoint sum_grid() const");
    FixedPoint const grid = aggregator.sum_grid();
    release.sum_step = grid.step;
    release.sum_clamps = grid.clamp;
  }
  if constexpr (composition::NamesHook_partial_sums<A>) {
    static_assert(
        requires {
          { aggregator.partial_sums(std::uint64_t{}) } -> std::same_as<std::string>;
        },
        "fltr: the Aggregator's hook 'partial_sums' must be callable as std::string partial_sums(std::uint64_t asked) "
        "const");
    release.partial_sums = aggregator.partial_sums(release.asked);
    if (!release.partial_sums.empty()) release.view = ServerView::messages;
  }
}

/// Writes the smallest and the largest weight of messages whose clients are asked for so many interactions.
template <class Message>
void set_worst_weights(std::uint32_t fewest_interactions, std::uint32_t most_interactions, RoundRelease& release) {
  if constexpr (std::derived_from<Message, LocalWeights>) {
    release.smallest_weight = static_cast<double>(fewest_interactions);
    release.largest_weight = static_cast<double>(most_interactions);
  } else if constexpr (composition::NamesHook_weight<Message>) {
    release.smallest_weight = 0.0;  // weights of other messages are not known
    release.largest_weight = std::numeric_limits<double>::infinity();
  }
}

}  // namespace fltr::detail
