// A robust aggregator in the frame: it gathers, keeps a state at the server, and states the minimum number of messages.
#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include <fltr/aggregators/krum.hpp>
#include <fltr/click_models/cascade_model.hpp>
#include <fltr/federation/server_round.hpp>
#include <fltr/partition/iid.hpp>
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

}  // namespace

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
  auto five = federation.start(split_iid(data, {.clients = 5, .interactions = 3}));
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
