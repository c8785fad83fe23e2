#include <fltr/unlearners/fed_eraser.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <vector>

#include <fltr/aggregators/fed_avg.hpp>
#include <fltr/attacks/inversion.hpp>
#include <fltr/click_models/cascade_model.hpp>
#include <fltr/click_models/no_clicks.hpp>
#include <fltr/execution/threads.hpp>
#include <fltr/federation/make_federation.hpp>
#include <fltr/learners/pdgd.hpp>
#include <fltr/learners/personal.hpp>
#include <fltr/metrics/evaluate.hpp>
#include <fltr/metrics/ndcg.hpp>
#include <fltr/partition/dropout.hpp>
#include <fltr/privatizers/laplace_noise.hpp>
#include <fltr/rankers/linear_ranker.hpp>
#include <fltr/rankers/split_neural_ranker.hpp>

#include "support/catch.hpp"
#include "support/same_bits.hpp"
#include "support/shuffled_execution.hpp"
#include "support/toy_dataset.hpp"

using namespace fltr;
using fltr::testing::same_bits;
using fltr::testing::ShuffledExecution;
using fltr::testing::toy_dataset;

namespace {

constexpr auto norm = FedEraser::Store::norm;
constexpr auto update = FedEraser::Store::update;

/// Moves the weights by a vector that is known: (3, 4) · the client's id in the training, where a client makes 5 steps,
/// and (0, steps) in a replay with fewer steps. Client 3 does not move in a replay.
struct MovesByRule {
  using Message = LocalWeights;
  static constexpr bool shows_lists = false;
  LocalWeights learn(auto const& global, auto const& client, auto&) const {
    bool const replayed = client.interactions < 5;
    auto const id = static_cast<float>(client.id);
    LocalWeights message{{global.parameters().begin(), global.parameters().end()}, client.interactions};
    if (!replayed) message.values[0] += 3 * id;
    message.values[1] += !replayed ? 4 * id : client.id == 3 ? 0.0F : static_cast<float>(client.interactions);
    return message;
  }
};

/// Clients 1 to 4 with 5 interactions each.
std::vector<Client> four() { return {{1, 5, {}}, {2, 5, {}}, {3, 5, {}}, {4, 5, {}}}; }

auto rule_federation(FedEraser eraser) {
  return make_federation(LinearRanker(2), NoClicks{}, MovesByRule{}, FedAvg{}).with_unlearner(eraser);
}

/// Client 4 joins in round 5. Client 2 does not report in round 3 of the training.
struct LateAndAbsent {
  std::vector<Client> clients = four();
  bool const* replayed = nullptr;
  [[nodiscard]] std::size_t size() const { return clients.size(); }
  [[nodiscard]] Client const& operator[](std::size_t i) const { return clients[i]; }
  [[nodiscard]] std::vector<std::uint32_t> participants(std::uint32_t round, Stream&) const {
    return round < 5 ? std::vector<std::uint32_t>{0, 1, 2} : std::vector<std::uint32_t>{0, 1, 2, 3};
  }
  [[nodiscard]] bool reports(RoundPhase const& at, std::size_t i, Stream&) const {
    return *replayed || at.round != 3 || clients[i].id != 2;
  }
};

std::vector<Client> toy_clients(Dataset const& data, QueryPool const& of_third, std::uint32_t count = 6) {
  std::vector<Client> out;
  for (std::uint32_t i = 0; i < count; ++i)
    out.push_back({i, 5, i == 2 ? of_third : QueryPool(data, {i % 8, i % 8 + 8, i % 8 + 16})});
  return out;
}

auto pdgd_federation(FedEraser eraser) {
  return make_federation(LinearRanker(5), CascadeModel::informational(3), Pdgd{}, FedAvg{}).with_unlearner(eraser);
}

std::vector<float> weights_of(auto const& training) {
  auto const all = training.ranker().parameters();
  return {all.begin(), all.end()};
}

}  // namespace

TEST_CASE("Eq. 6.2: kept rounds run again with n' steps, the old length and the new direction") {
  auto training = rule_federation({.interval = 3, .local_steps = 2}).start(four());
  training.run(7);
  // Updates in the training are (3, 4) · id, of length 5 · id. Their mean is (7.5, 10).
  CHECK(weights_of(training) == std::vector{7 * 7.5F, 7 * 10.0F});
  for (std::size_t i = 0; i < 4; ++i) {
    auto const kept = training.client_state(i).kept;
    CHECK(kept.records() == 3);  // rounds 1, 4 and 7
    for (std::uint32_t const round : {1U, 4U, 7U})
      CHECK(kept.find(round).value().front() == 5.0F * static_cast<float>(i + 1));
  }
  auto const report = training.forget({4});
  // Directions in the replay: (0, 1) for clients 1 and 2, none for client 3. Mean: (0, (5 + 10 + 0) / 3), three times.
  CHECK(weights_of(training) == std::vector{0.0F, 15.0F});
  CHECK(report.rounds == 3);
  CHECK(report.statistics.reported == 9);
  CHECK(report.statistics.zero_updates == 3);
  CHECK(report.statistics.unrecorded == 0);
}

TEST_CASE("Section 7.4.2: with store = update, the old direction and the new length") {
  auto training = rule_federation({.interval = 3, .local_steps = 2, .store = update}).start(four());
  training.run(7);
  auto const kept = training.client_state(1).kept;
  CHECK(kept.find(4)->size() == 2);
  CHECK(kept.bytes() == 3 * 2 * 4);
  auto const report = training.forget({4});
  // The new length is 2 for clients 1 and 2 and 0 for client 3; the old direction is (.6, .8).
  // Mean: 2 · (.6, .8) · 2 / 3, three times.
  CHECK(weights_of(training)[0] == Approx(2.4).epsilon(1e-6));
  CHECK(weights_of(training)[1] == Approx(3.2).epsilon(1e-6));
  CHECK(report.statistics.zero_updates == 3);
}

TEST_CASE("Eq. 6.1: corrected updates are weighted by the interactions of the replay") {
  auto clients = four();
  clients[0].interactions = 7;  // the other clients make 5 steps
  clients[1].interactions = 1;  // counts as a replay in MovesByRule: the update is (0, 1) in both
  auto training = rule_federation({.interval = 1, .local_steps = 4}).start(clients);
  training.run(1);
  training.forget({3, 4});
  // Client 1: 4 interactions, length 5. Client 2: 1 interaction, length 1. (4 · 5 + 1 · 1) / 5.
  CHECK(weights_of(training) == std::vector{0.0F, 4.2F});
}

TEST_CASE(
    "A client without a record takes part without a correction and is counted; nobody takes part before joining") {
  bool replayed = false;
  auto training = rule_federation({.interval = 2, .local_steps = 2}).start(LateAndAbsent{.replayed = &replayed});
  training.run(5);
  CHECK(training.client_state(1).kept.records() == 2);  // rounds 1 and 5
  auto const of_second = training.client_state(1).kept;
  CHECK_FALSE(of_second.find(3));
  CHECK(training.client_state(3).kept.records() == 1);  // round 5
  replayed = true;
  auto const report = training.forget({1});
  CHECK(report.rounds == 3);
  CHECK(report.statistics.unrecorded == 1);
  CHECK(report.statistics.zero_updates == 3);  // client 3
  CHECK(report.statistics.reported == 2 + 2 + 3);
  // Rounds 1 and 3: clients 2 and 3, in round 3 client 2 moves by its own 2. Round 5: clients 2, 3 and 4.
  CHECK(weights_of(training)[0] == 0.0F);
  CHECK(weights_of(training)[1] == Approx((10.0 + 0.0) / 2 + (2.0 + 0.0) / 2 + (10.0 + 0.0 + 20.0) / 3));
}

TEST_CASE("The data of the forgotten client has influence only through the kept records of the others") {
  auto const data = toy_dataset();
  auto const other = toy_dataset(7, 3, 5, 99);
  for (auto const store : {norm, update}) {
    auto const federation = pdgd_federation({.interval = 2, .local_steps = 3, .store = store});
    auto one = federation.start(toy_clients(data, QueryPool(data)));
    auto two = federation.start(toy_clients(data, QueryPool(other)));
    one.run(9);
    two.run(9);
    std::size_t differ = 0;
    for (std::size_t i = 0; i < 6; ++i) differ += same_bits(one.client_state(i), two.client_state(i)) ? 0U : 1U;
    CHECK(differ == 6);
    auto own = two;
    auto exchanged = two;
    for (std::size_t i = 0; i < 6; ++i) exchanged.set_kept(i, one.client_state(i).kept);
    one.forget({2});
    own.forget({2});
    exchanged.forget({2});
    CHECK_FALSE(same_bits(one.ranker(), own.ranker()));  // FedEraser is not exact
    CHECK(same_bits(one, exchanged));                    // with the same records, nothing else differs
    // The record of the forgotten client has no influence.
    auto without = two;
    for (std::size_t i = 0; i < 6; ++i) without.set_kept(i, i == 2 ? ClientHistory{} : two.client_state(i).kept);
    without.forget({2});
    CHECK(same_bits(without, own));
  }
}

TEST_CASE("Forgetting clients one after the other gives the bits of forgetting them at once, and costs two replays") {
  auto const data = toy_dataset();
  for (auto const store : {norm, update}) {
    auto one = pdgd_federation({.interval = 2, .store = store}).start(toy_clients(data, QueryPool(data)));
    one.run(8);
    auto two = one;
    auto const first = one.forget({4});
    auto const second = one.forget({2});
    auto const both = two.forget({2, 4});
    CHECK(same_bits(one, two));
    CHECK(first.rounds + second.rounds == 2 * both.rounds);
    // A later forgetting replays the rounds in between too.
    one.run(3);
    CHECK(one.forget({0}).rounds == 6);  // rounds 1, 3, …, 11
    CHECK(one.forgotten_clients() == std::vector<ClientId>{0, 2, 4});
  }
}

TEST_CASE("FedPer: the forgotten client's output layer and history are gone, every other client has its own") {
  auto const data = toy_dataset();
  auto training =
      make_federation(SplitNeuralRanker(5, {.hidden = 4}), CascadeModel::informational(3), Personal<Pdgd>{}, FedAvg{})
          .with_unlearner(FedEraser{.interval = 2})
          .start(toy_clients(data, QueryPool(data)));
  training.run(6);
  auto const before = training.client_states();
  training.forget({2});
  for (std::size_t i = 0; i < 6; ++i) {
    auto const state = training.client_state(i);
    CHECK(state.learner.own.empty() == (i == 2));
    CHECK(state.kept.empty() == (i == 2));
    if (i == 2) continue;
    CHECK(same_bits(state.kept, before[i].kept));
    for (std::size_t j = 0; j < i; ++j) CHECK(state.learner.own != training.client_state(j).learner.own);
  }
  CHECK(training.client_state(0).kept.width() == 1);
  // The shared layer alone is recorded: 5 · 4 weights and 4 biases.
  auto whole = training.policies();
  whole.unlearner.store = update;
  auto other = Federation(whole).start(toy_clients(data, QueryPool(data)));
  other.run(1);
  CHECK(other.client_state(0).kept.width() == 24);
}

TEST_CASE("A replay has the same bits on every Execution and number of threads") {
  auto const data = toy_dataset();
  auto const clients = Dropout{toy_clients(data, QueryPool(data), 50), 0.2};
  for (auto const store : {norm, update}) {
    auto const federation = pdgd_federation({.interval = 2, .local_steps = 2, .store = store});
    auto const forgotten = [&](auto const& execution) {
      auto training = federation.with_execution(execution).start(clients);
      training.run(5);
      auto const report = training.forget({2, 33});
      CHECK(report.statistics.unrecorded > 0);
      return field_bytes(training);
    };
    auto const expected = forgotten(Serial{});
    CHECK(forgotten(Threads{1}) == expected);
    CHECK(forgotten(Threads{3}) == expected);
    CHECK(forgotten(ShuffledExecution{7}) == expected);
  }
}

TEST_CASE("Replayed rounds cost privacy, and histories are recorded before the noise") {
  auto const data = toy_dataset();
  auto const quiet = pdgd_federation({.interval = 2});
  auto training = quiet.with_privatizer(LaplaceNoise{.epsilon = 0.5, .sensitivity = 2.0})
                      .start(toy_clients(data, QueryPool(data)), {.delta = 0.0});
  training.run(1);
  auto plain = quiet.start(toy_clients(data, QueryPool(data)));
  plain.run(1);
  for (std::size_t i = 0; i < 6; ++i) CHECK(same_bits(training.client_state(i), plain.client_state(i)));
  double const round = training.round().privacy->epsilon_accounted;
  CHECK(round > 0.0);
  training.run(4);
  training.forget({2});
  CHECK(training.round().privacy->epsilon_accounted == Approx((5 + 3) * round));
}

TEST_CASE("A stolen length is a fingerprint: it tells which of two queries a client asked") {
  // The thief knows both queries and the start model, but not the random numbers of the client. Each query has 4
  // documents, of which the user clicks the only relevant one. So there are 24 orders and at most 24 lengths.
  auto const data = toy_dataset(2, 4, 5, 2);
  for (std::size_t const query : {0U, 1U})
    REQUIRE(std::ranges::equal(data[query].grades(), std::vector<Grade>{2, 0, 0, 0}));
  auto const length_of = [&](std::uint32_t query, std::uint64_t seed) {
    auto training = make_federation(LinearRanker(5), CascadeModel::perfect(3), Pdgd{}, FedAvg{})
                        .with_unlearner(FedEraser{})
                        .start(std::vector<Client>{{0, 1, QueryPool(data, {query})}}, {.seed = seed});
    training.advance();
    auto const kept = training.client_state(0).kept;
    return kept.find(1).value().front();
  };
  std::set<float> possible[2];
  for (std::uint32_t const query : {0U, 1U})
    for (std::uint64_t seed = 1; seed <= 400; ++seed) possible[query].insert(length_of(query, seed));
  for (std::uint32_t const query : {0U, 1U}) {
    CHECK(possible[query].size() > 1);
    CHECK(possible[query].size() <= 24);
    for (std::uint64_t seed = 1001; seed <= 1050; ++seed) {
      float const stolen = length_of(query, seed);
      CHECK(possible[query].contains(stolen));
      CHECK_FALSE(possible[1 - query].contains(stolen));
    }
  }
}

TEST_CASE("A history of another interval or store is refused; the model stays") {
  auto const data = toy_dataset();
  auto const trained = [&](FedEraser eraser) {
    auto training = pdgd_federation(eraser).start(toy_clients(data, QueryPool(data)));
    training.run(5);
    return training;
  };
  auto const saved = trained({.interval = 2});
  auto other_interval = trained({.interval = 4});
  restore(other_interval, field_bytes(saved));
  auto const before = other_interval.ranker();
  CHECK_THROWS_WITH(other_interval.forget({2}), "FedEraser: required a history with an interval of 4, got 2");
  CHECK(same_bits(other_interval.ranker(), before));
  CHECK(other_interval.forgotten_clients().empty());
  auto other_store = trained({.interval = 2, .store = update});
  restore(other_store, field_bytes(saved));
  CHECK_THROWS_WITH(other_store.forget({2}), "FedEraser: required a history with records of 5 numbers, got 1");
}

TEST_CASE("A restored training forgets with the bits of the one that was saved") {
  auto const data = toy_dataset();
  for (auto const store : {norm, update}) {
    auto const federation = pdgd_federation({.interval = 3, .store = store});
    auto training = federation.start(toy_clients(data, QueryPool(data)));
    training.run(7);
    auto restored = federation.start(toy_clients(data, QueryPool(data)));
    restore(restored, field_bytes(training));
    training.forget({2});
    restored.forget({2});
    CHECK(same_bits(training, restored));
  }
}

TEST_CASE("FedEraser refuses an interval of 0 and 0 local steps") {
  CHECK_THROWS_WITH((FedEraser{.interval = 0}.keeps(1)), "FedEraser: required an interval >= 1, got 0");
  auto training = rule_federation({.local_steps = 0}).start(four());
  CHECK_THROWS_WITH(training.run(1), "FedEraser: required local_steps >= 1, got 0");
  CHECK(FedEraser{.interval = 10}.kept_rounds(2000) == 200);
  CHECK(FedEraser{.interval = 10}.kept_rounds(2001) == 201);
  CHECK(FedEraser{.interval = 1}.kept_rounds(0xFFFFFFFEU) == 0xFFFFFFFEU);
}

TEST_CASE("A client that sends -2 times its model is forgotten: the ranker recovers") {
  auto const data = toy_dataset();
  auto const federation = make_federation(LinearRanker(5), CascadeModel::perfect(3), Pdgd{}, FedAvg{})
                              .with_attack(Inversion{.malicious = {2}, .z = 2.0F})
                              .with_unlearner(FedEraser{.interval = 5, .local_steps = 3});
  auto training = federation.start(toy_clients(data, QueryPool(data), 10));
  training.run(200);
  double const poisoned = evaluate(training.ranker(), data, Ndcg{.cutoff = 10});
  training.forget({2});
  double const unlearned = evaluate(training.ranker(), data, Ndcg{.cutoff = 10});
  // The toy data is separable, so that honest clients reach nearly 1.
  CHECK(1.0 - unlearned < (1.0 - poisoned) / 4);
}
