#pragma once

#include <concepts>
#include <cstdint>
#include <span>

#include <fltr/concepts/archetypes.hpp>
#include <fltr/core/random.hpp>
#include <fltr/data/query_view.hpp>
#include <fltr/messages/local_weights.hpp>

namespace fltr {

/// A **ClickGuess** is what a curious server reads out of a message: `g.guess(global, message, query, order, clicks,
/// stream)`, const, writes 0 or 1 for each shown document of `order`. It is an argument of functions, not a slot of the
/// federation.
template <class G, class M = LocalWeights, class R = archetypes::DifferentiableRanker>
concept ClickGuess = requires(G const& g, R const& global, M const& message, QueryView query,
                              std::span<std::uint32_t const> order, std::span<std::uint8_t> clicks, Stream& stream) {
  g.guess(global, message, query, order, clicks, stream);
};

}  // namespace fltr
