#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include <fltr/concepts/aggregator.hpp>
#include <fltr/concepts/ranker.hpp>
#include <fltr/core/state.hpp>
#include <fltr/data/client.hpp>
#include <fltr/messages/client_message.hpp>
#include <fltr/messages/local_weights.hpp>
#include <fltr/messages/shared_parameters.hpp>

namespace fltr {

/// A **Detector** is an Aggregator that says which clients it takes for malicious.
///
/// | required                   | meaning                                                                              |
/// | -------------------------- | ------------------------------------------------------------------------------------ |
/// | `A::State`, with a member  | std::map<ClientId, std::uint32_t>; each flagged client, and the round in which it    |
/// | `flagged`                  | was flagged (the number of calls of `aggregate` so far, counted from 1); empty as    |
/// |                            | long as no client is flagged                                                         |
///
/// `aggregate` may flag clients before it uses their messages of the same round. What it does with the messages of
/// flagged clients is its own matter. FlDetector drops them. OnAlarm replaces the Detector by another aggregator once a
/// client is flagged.
///
///     struct FlagsLongMessages {  // averages, and flags clients whose weights exceed 100
///       struct State {
///         std::map<fltr::ClientId, std::uint32_t> flagged;
///         std::uint32_t rounds = 0;
///         auto fields(auto&& visit) { return visit(flagged, rounds); }
///       };
///       void aggregate(std::span<fltr::ClientMessage<fltr::LocalWeights> const> messages,
///                      fltr::ParametricRanker auto& ranker, State& state) const {
///         ++state.rounds;
///         auto const weights = fltr::shared_parameters(ranker);
///         std::vector<float> sum(weights.size());
///         for (auto const& sent : messages) {
///           if (std::ranges::any_of(sent.message.values, [](float w) { return std::abs(w) > 100.0F; }))
///             state.flagged.try_emplace(sent.client, state.rounds);
///           for (std::size_t k = 0; k < sum.size(); ++k) sum[k] += sent.message.values[k];
///         }
///         for (std::size_t k = 0; k < sum.size(); ++k) weights[k] = sum[k] / static_cast<float>(messages.size());
///       }
///     };
///     static_assert(fltr::Aggregator<FlagsLongMessages> && fltr::Detector<FlagsLongMessages>);
///
/// Models: FlDetector<A>.
template <class A>
concept Detector =
    requires(State<A>& state) { requires std::same_as<decltype((state.flagged)), std::map<ClientId, std::uint32_t>&>; };

}  // namespace fltr
