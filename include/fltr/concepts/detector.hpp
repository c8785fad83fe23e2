#pragma once

#include <concepts>
#include <cstdint>
#include <map>

#include <fltr/core/state.hpp>
#include <fltr/data/client.hpp>

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
///         for (auto const& sent : messages)
///           if (std::ranges::any_of(sent.message.values, [](float w) { return std::abs(w) > 100.0F; }))
///             state.flagged.try_emplace(sent.client, state.rounds);
///         fltr::FedAvg const average;
///         average.aggregate(fltr::sum_messages(average, messages, ranker), ranker);
///       }
///     };
///     static_assert(fltr::Aggregator<FlagsLongMessages> && fltr::Detector<FlagsLongMessages>);
///
/// Models: FlDetector<A>.
template <class A>
concept Detector =
    requires(State<A>& state) { requires std::same_as<decltype((state.flagged)), std::map<ClientId, std::uint32_t>&>; };

}  // namespace fltr
