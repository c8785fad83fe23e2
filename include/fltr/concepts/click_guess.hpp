#pragma once

#include <concepts>
#include <cstdint>
#include <span>

#include <fltr/concepts/archetypes.hpp>
#include <fltr/core/random.hpp>
#include <fltr/data/query_view.hpp>
#include <fltr/messages/local_weights.hpp>

namespace fltr {

/// A **ClickGuess** estimates from a client's message which displayed documents the client's user clicked. It measures
/// what a curious server can learn. It is an argument of functions, not a policy of a federation.
///
/// | required                                                  | meaning                                            |
/// | --------------------------------------------------------- | -------------------------------------------------- |
/// | `g.guess(global, message, query, order, clicks, stream)`  | const; writes 0 or 1 into `clicks` for each        |
/// |                                                           | displayed document of `order` (rank order)         |
///
/// Not required: a state, a return value.
///
///     struct FirstPosition {
///       void guess(auto const&, auto const&, fltr::QueryView, std::span<std::uint32_t const>,
///                  std::span<std::uint8_t> clicks, fltr::Stream&) const {
///         for (auto& click : clicks) click = &click == clicks.data();
///       }
///     };
///     static_assert(fltr::ClickGuess<FirstPosition>);
///
/// Models: none yet.
template <class G, class M = LocalWeights, class R = archetypes::DifferentiableRanker>
concept ClickGuess = requires(G const& g, R const& global, M const& message, QueryView query,
                              std::span<std::uint32_t const> order, std::span<std::uint8_t> clicks,
                              Stream& stream) { g.guess(global, message, query, order, clicks, stream); };

}  // namespace fltr
