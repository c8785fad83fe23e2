#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include <fltr/aggregators/fed_avg.hpp>
#include <fltr/aggregators/fl_detector.hpp>
#include <fltr/aggregators/krum.hpp>
#include <fltr/aggregators/median.hpp>
#include <fltr/aggregators/on_alarm.hpp>

#include "support/catch.hpp"
#include "support/same_bits.hpp"

using namespace fltr;
using fltr::testing::same_bits;

namespace {

using Vector = archetypes::DifferentiableRanker;
using Messages = std::vector<ClientMessage<LocalWeights>>;

std::span<ClientMessage<LocalWeights> const> all(Messages const& messages) { return messages; }

/// The example of concepts/detector.hpp: averages, and flags clients whose weights exceed 100.
struct FlagsLongMessages {
  struct State {
    std::map<ClientId, std::uint32_t> flagged;
    std::uint32_t rounds = 0;
    auto fields(auto&& visit) { return visit(flagged, rounds); }
  };
  void aggregate(std::span<ClientMessage<LocalWeights> const> messages, ParametricRanker auto& ranker,
                 State& state) const {
    ++state.rounds;
    for (auto const& sent : messages)
      if (std::ranges::any_of(sent.message.values, [](float w) { return std::abs(w) > 100.0F; }))
        state.flagged.try_emplace(sent.client, state.rounds);
    FedAvg const average;
    average.aggregate(sum_messages(average, messages, ranker), ranker);
  }
};
static_assert(Aggregator<FlagsLongMessages> && Detector<FlagsLongMessages>);

/// Adds 1 to the ranker.
struct AddsOne {
  void aggregate(std::span<ClientMessage<LocalWeights> const>, ParametricRanker auto& ranker) const {
    for (float& w : shared_parameters(ranker)) w += 1.0F;
  }
};

Messages five(float first) {
  Messages out;
  for (std::uint32_t i = 0; i < 5; ++i) {
    auto const x = static_cast<float>(i);
    out.push_back({10 + i, {{i == 0 ? first : x, 2.0F * x}, 1 + i}, i});
  }
  return out;
}

}  // namespace

static_assert(Aggregator<OnAlarm<FlDetector<>, Krum>> && Aggregator<OnAlarm<FlDetector<Median>, FedAvg>>);

TEST_CASE("OnAlarm averages until the detector flags a client, and uses the other aggregator from that round on") {
  OnAlarm const server{FlagsLongMessages{}, Median{}};
  State<OnAlarm<FlagsLongMessages, Median>> state;
  Vector ranker{{0.0F, 0.0F}};
  Vector expected = ranker;
  for (int round = 1; round <= 3; ++round) {
    auto const messages = five(static_cast<float>(round));
    server.aggregate(all(messages), ranker, state);
    FedAvg{}.aggregate(sum_messages(FedAvg{}, messages, expected), expected);
    CHECK(same_bits(ranker, expected));
    CHECK(state.alarm == 0);
  }
  // In the round of the alarm the average of the detector is undone. The message of the flagged client reaches the
  // median: without it, the median of the first weight would be 2.5.
  for (float const first : {1000.0F, 1.0F, 2.0F}) {
    server.aggregate(all(five(first)), ranker, state);
    CHECK(ranker.weights == std::vector<float>{first > 2.5F ? 3.0F : 2.0F, 4.0F});
    CHECK(state.alarm == 4);
  }
  CHECK(state.round == 6);
  CHECK(state.detector.rounds == 4);  // the detector does not run after the alarm
  CHECK(state.detector.flagged == std::map<ClientId, std::uint32_t>{{10, 4}});

  auto const bytes = field_bytes(state);
  FieldReader reader{std::span(bytes)};
  State<OnAlarm<FlagsLongMessages, Median>> restored;
  reader.read(restored);
  server.aggregate(all(five(1.0F)), ranker, restored);
  CHECK(restored.alarm == 4);
  CHECK(restored.round == 7);
}

TEST_CASE("In the round of the alarm the other aggregator sees the ranker that was sent to the clients") {
  OnAlarm const server{FlagsLongMessages{}, AddsOne{}};
  State<OnAlarm<FlagsLongMessages, AddsOne>> state;
  Vector ranker{{5.0F, 7.0F}};
  server.aggregate(all(five(1e6F)), ranker, state);
  CHECK(ranker.weights == std::vector<float>{6.0F, 8.0F});
}

TEST_CASE("OnAlarm needs as many messages as both of its aggregators, before and after the alarm") {
  CHECK(minimum_messages(OnAlarm{FlagsLongMessages{}, Krum{.malicious = 4}}) ==
        Krum{.malicious = 4}.minimum_messages());
  CHECK(minimum_messages(OnAlarm{FlDetector{Krum{.malicious = 4}}, FedAvg{}}) ==
        Krum{.malicious = 4}.minimum_messages());
}
