// A robust aggregator in the frame: it gathers, keeps a state at the server, and states the minimum number of messages.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include <fltr/aggregators/krum.hpp>
#include <fltr/click_models/cascade_model.hpp>
#include <fltr/federation/server_round.hpp>
#include <fltr/partition/iid.hpp>
#include <fltr/partition/sampled.hpp>
#include <fltr/presets/fpdgd.hpp>
#include <fltr/rankers/linear_ranker.hpp>

#include "support/catch.hpp"
#include "support/policies.hpp"
#include "support/same_bits.hpp"
#include "support/toy_dataset.hpp"

namespace {

using namespace fltr;
using fltr::testing::FirstClients;
using fltr::testing::same_bits;
using fltr::testing::toy_dataset;

struct SendsHuge {
  FirstClients malicious;
  void poison(std::span<ClientMessage<LocalWeights>> mine, auto const&, AttackContext const&) const {
    for (auto& sent : mine)
      for (float& v : sent.message.values) v = 1e12F;
  }
};

/// Sends NaN, an infinity, one value too few or one too many, in turn.
struct SendsUnusable {
  FirstClients malicious;
  void poison(std::span<ClientMessage<LocalWeights>> mine, auto const&, AttackContext const&) const {
    for (std::size_t i = 0; i < mine.size(); ++i) spoil(mine[i].message.values, i);
  }
  static void spoil(std::vector<float>& values, std::size_t kind) {
    switch (kind % 4) {
      case 0:
        values[2] = std::numeric_limits<float>::quiet_NaN();
        break;
      case 1:
        values[4] = -std::numeric_limits<float>::infinity();
        break;
      case 2:
        values.pop_back();
        break;
      default:
        values.push_back(0.0F);
    }
  }
};

/// Krum that records the clients whose messages reached it, and whether all values were usable.
struct RecordingKrum {
  struct State {
    std::vector<ClientId> reached;
    bool usable = true;
    RobustReport report;
    auto fields(auto&& visit) { return visit(reached, usable, report); }
  };
  Krum krum;
  void aggregate(std::span<ClientMessage<LocalWeights> const> messages, ParametricRanker auto& ranker,
                 State& state) const {
    state.reached.clear();
    for (auto const& sent : messages) {
      state.reached.push_back(sent.client);
      state.usable = state.usable && sent.message.values.size() == 5 &&
                     std::ranges::all_of(sent.message.values, [](float v) { return std::isfinite(v); });
    }
    krum.aggregate(messages, ranker, state.report);
  }
};

}  // namespace

TEST_CASE("Messages with NaN, with an infinity or of a wrong size never reach a rule") {
  auto const data = toy_dataset();
  std::vector<ClientId> const honest{4, 5, 6, 7, 8};
  auto training = fpdgd(LinearRanker(5), CascadeModel::perfect(3))
                      .with_aggregator(RecordingKrum{{.malicious = 1}})
                      .with_attack(SendsUnusable{{4}})
                      .start(split_iid(data, {.clients = 9, .interactions = 3}));
  for (int round = 0; round < 5; ++round) {
    training.advance();
    CHECK(training.round().statistics.rejected == 4);
    CHECK(training.server_state().usable);
    CHECK(training.server_state().reached == honest);
    CHECK(std::ranges::count(honest, training.server_state().report.selected.at(0)) == 1);
  }
  for (float w : training.ranker().parameters()) CHECK(std::isfinite(w));

  // The same outside a federation.
  std::vector<ClientMessage<LocalWeights>> messages;
  for (ClientId id = 0; id < 9; ++id) messages.push_back({id, {std::vector<float>(5, 1.0F), 3}, 0});
  for (std::size_t i = 0; i < 4; ++i) SendsUnusable::spoil(messages[i].message.values, i);
  LinearRanker ranker(5);
  RecordingKrum::State state;
  CHECK(serve_round(RecordingKrum{{.malicious = 1}}, {9, 3}, messages, ranker, state).rejected == 4);
  CHECK(state.usable);
  CHECK(state.reached == honest);
  CHECK(ranker.parameters()[2] == 1.0F);
}

TEST_CASE("Krum never chooses a message of 1e12 at its breakdown point") {
  auto const data = toy_dataset();
  // n ≥ 2 f + 3 is the condition of the theorem: 9 clients, 3 attackers.
  auto training = fpdgd(LinearRanker(5), CascadeModel::perfect(3))
                      .with_aggregator(Krum{.malicious = 3})
                      .with_attack(SendsHuge{{3}})
                      .start(split_iid(data, {.clients = 9, .interactions = 3}));
  for (int round = 0; round < 20; ++round) {
    training.advance();
    REQUIRE(training.server_state().selected.size() == 1);
    CHECK(training.server_state().selected[0] >= 3);
    CHECK(training.server_state().guaranteed);
  }
  for (float w : training.ranker().parameters()) CHECK(std::abs(w) < 100.0F);
}

TEST_CASE("With fewer messages than minimum_messages, the ranker and the server's state are unchanged") {
  auto const data = toy_dataset();
  auto const federation = fpdgd(LinearRanker(5), CascadeModel::perfect(3)).with_aggregator(Krum{.malicious = 3});
  auto five = federation.start(Sampled{split_iid(data, {.clients = 6, .interactions = 3}), 5});
  auto const before = five.ranker();
  five.advance();
  CHECK(same_bits(five.ranker(), before));
  CHECK(five.server_state().selected.empty());
  CHECK(five.round().statistics.reported == 5);
  CHECK(five.round().statistics.discarded);

  // The same outside a federation.
  std::vector<ClientMessage<LocalWeights>> messages;
  for (ClientId id = 0; id < 5; ++id) messages.push_back({id, {std::vector<float>(5, 1.0F), 3}, 0});
  LinearRanker ranker(5);
  Krum::State state;
  CHECK(serve_round(Krum{.malicious = 3}, {6, 3}, messages, ranker, state).reported == 5);
  CHECK(state.selected.empty());
  messages.push_back({5, {std::vector<float>(5, 1.0F), 3}, 0});
  serve_round(Krum{.malicious = 3}, {6, 3}, messages, ranker, state);
  CHECK(state.selected.size() == 1);

  auto six = federation.start(split_iid(data, {.clients = 6, .interactions = 3}));
  six.advance();
  CHECK_FALSE(same_bits(six.ranker(), before));
}
