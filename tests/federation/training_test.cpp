#include <fltr/federation/training.hpp>

#include <cstdint>
#include <map>
#include <span>
#include <stdexcept>
#include <vector>

#include <fltr/aggregators/fed_avg.hpp>
#include <fltr/click_models/cascade_model.hpp>
#include <fltr/click_models/no_clicks.hpp>
#include <fltr/click_models/per_client.hpp>
#include <fltr/core/tensor.hpp>
#include <fltr/data/make_dataset.hpp>
#include <fltr/execution/threads.hpp>
#include <fltr/federation/make_federation.hpp>
#include <fltr/metrics/evaluate.hpp>
#include <fltr/metrics/ndcg.hpp>
#include <fltr/partition/iid.hpp>
#include <fltr/presets/fpdgd.hpp>
#include <fltr/rankers/linear_ranker.hpp>
#include <fltr/rankers/neural_ranker.hpp>

#include "support/catch.hpp"
#include "support/same_bits.hpp"
#include "support/toy_dataset.hpp"

namespace {

using namespace fltr;
using fltr::testing::same_bits;
using fltr::testing::toy_dataset;

}  // namespace

TEST_CASE("FPDGD with a linear and a neural ranker improves nDCG") {
  auto const data = toy_dataset(100, 20);
  auto const test = toy_dataset(50, 20, 5, 99);
  auto const learn = [&](auto ranker) {
    auto const federation = fpdgd(ranker, CascadeModel::perfect(3)).with_execution(Threads{2});
    auto training = federation.start(split_iid(data, {.clients = 50, .interactions = 4}), {.seed = 1});
    double const before = evaluate(training.ranker(), test, Ndcg{});
    for (int i = 0; i < 60; ++i) training.advance();
    return std::pair(before, evaluate(training.ranker(), test, Ndcg{}));
  };
  auto const [linear_before, linear_after] = learn(LinearRanker(5));
  CHECK(linear_before < 0.75);
  CHECK(linear_after > 0.97);
  auto const [neural_before, neural_after] = learn(NeuralRanker(5, {.hidden = 16}));
  CHECK(neural_after > std::max(0.9, neural_before));
}

TEST_CASE("A round works with one client, empty clients, and queries without documents to choose from") {
  auto const one_round = [](Dataset const& data, auto clicks) {
    auto training =
        fpdgd(LinearRanker(data.feature_count()), clicks).start(split_iid(data, {.clients = 3, .interactions = 2}));
    training.advance();
    CHECK(training.round().statistics.reported == 3);
    return training;
  };
  SECTION("no click at all") {
    auto const data = toy_dataset();
    auto const training = one_round(data, NoClicks{});
    for (float w : training.ranker().parameters()) CHECK(w == 0.0F);
  }
  SECTION("one document") {
    Matrix<float> rows({2, 3});
    rows.fill(1.0F);
    std::vector<Grade> const grades{1, 0};
    std::vector<std::size_t> const sizes{1, 1};
    auto const data = make_dataset(rows, grades, sizes);
    auto const training = one_round(data, CascadeModel::perfect(2));
    for (float w : training.ranker().parameters()) CHECK(w == 0.0F);
  }
  SECTION("a query without documents") {
    Matrix<float> rows({1, 3});
    rows.fill(1.0F);
    std::vector<Grade> const grades{1};
    std::vector<std::size_t> const sizes{0, 1, 0};
    one_round(make_dataset(rows, grades, sizes), CascadeModel::perfect(2));
  }
  SECTION("no queries, no clients, no interactions") {
    Dataset const nothing;
    auto const data = toy_dataset();
    CHECK_THROWS_AS(split_iid(nothing), std::invalid_argument);
    CHECK_THROWS_AS(split_iid(data, {.clients = 0}), std::invalid_argument);
    CHECK_THROWS_AS(split_iid(data, {.interactions = 0}), std::invalid_argument);
    CHECK_THROWS_AS(fpdgd(LinearRanker(5), NoClicks{}).start(std::vector<Client>{}), std::invalid_argument);
  }
  SECTION("a ranker for other features") {
    auto const data = toy_dataset();
    auto training = fpdgd(LinearRanker(4), NoClicks{}).start(split_iid(data));
    CHECK_THROWS_AS(training.advance(), std::invalid_argument);
  }
  SECTION("more grades than the click model knows") {
    auto const data = toy_dataset();
    auto rounds = fpdgd(LinearRanker(5), CascadeModel::perfect(2)).rounds(split_iid(data));
    CHECK_THROWS_AS((*rounds.begin()).number, std::invalid_argument);
  }
}

namespace {

/// Counts its own rounds at each client, and sends the count.
struct Counts {
  using Message = LocalWeights;
  struct State {
    std::uint32_t rounds = 0;
    auto fields(auto&& visit) { return visit(rounds); }
  };
  LocalWeights learn(auto const& ranker, auto const& client, auto& session) const {
    ++session.state.rounds;
    return {std::vector<float>(ranker.parameters().size(), static_cast<float>(session.state.rounds * (client.id + 1))),
            client.interactions};
  }
  LinearRanker personal(LinearRanker ranker, State const& state) const {
    ranker.parameters()[0] = static_cast<float>(state.rounds);
    return ranker;
  }
};

/// The global ranker is the mean of all messages; the ranker of a client is its own message.
struct MeanAndOwn {
  void aggregate(std::span<ClientMessage<LocalWeights> const> all, LinearRanker& ranker) const {
    ranker.parameters()[0] = static_cast<float>(all.size());
  }
  LinearRanker personalize(std::span<ClientMessage<LocalWeights> const> all, Client const& client) const {
    for (auto const& sent : all)
      if (sent.client == client.id) return LinearRanker(sent.message.values);
    return LinearRanker(0);
  }
};

}  // namespace

TEST_CASE("Each client has its own learner state") {
  auto const data = toy_dataset();
  auto const federation = make_federation(LinearRanker(5), NoClicks{}, Counts{}, FedAvg{}).with_execution(Threads{2});
  auto training = federation.start(split_iid(data, {.clients = 100, .interactions = 1}));
  for (int i = 0; i < 3; ++i) training.advance();
  for (auto const& state : training.client_states()) CHECK(state.learner.rounds == 3);
  CHECK(training.ranker().parameters()[0] == Approx(3 * 50.5));
  CHECK(training.ranker_of(7).parameters()[0] == 3.0F);
}

namespace {

struct SendsId {
  using Message = LocalWeights;
  LocalWeights learn(auto const& ranker, auto const& client, auto&) const {
    return {std::vector<float>(ranker.parameters().size(), static_cast<float>(client.id)), client.interactions};
  }
};

/// Keeps a number at each client that identifies the client and the round. Replays every second round.
struct Retrains {
  struct State {
    std::vector<float> kept;
    auto fields(auto&& visit) { return visit(kept); }
  };
  bool keeps(std::uint32_t round) const { return round % 2 == 1; }
  void record(State& state, std::uint32_t round, auto const&, LocalWeights const& message) const {
    state.kept.push_back(static_cast<float>(round) * 1000.0F + message.values[0]);
  }
  void unlearn(auto& replay) const {
    for (std::uint32_t round = 1; round <= replay.rounds(); round += 2)
      replay.step(round, 1, [](State const& kept, std::uint32_t r, auto const&, LocalWeights& message) {
        // the record of this round must still exist
        if (kept.kept.at((r - 1) / 2) != static_cast<float>(r) * 1000.0F + message.values[0])
          throw std::logic_error("another client's record");
        message.values[1] = 5.0F;
      });
  }
};

}  // namespace

TEST_CASE("ranker_of returns the ranker that the aggregator's personalize made") {
  auto const data = toy_dataset();
  auto const federation = make_federation(LinearRanker(5), NoClicks{}, SendsId{}, MeanAndOwn{});
  auto training = federation.start(split_iid(data, {.clients = 9, .interactions = 1}));
  CHECK_THROWS_AS(training.ranker_of(0), std::invalid_argument);
  training.advance();
  for (std::size_t i = 0; i < 9; ++i) CHECK(training.ranker_of(i).parameters()[0] == static_cast<float>(i));
  CHECK_THROWS_AS(training.ranker_of(9), std::invalid_argument);
}

TEST_CASE("forget deletes the personal rankers") {
  auto const data = toy_dataset();
  auto const federation =
      make_federation(LinearRanker(5), NoClicks{}, SendsId{}, MeanAndOwn{}).with_unlearner(Retrains{});
  auto training = federation.start(split_iid(data, {.clients = 3, .interactions = 1}));
  training.advance();
  CHECK_NOTHROW(training.ranker_of(2));
  training.forget({1});
  CHECK_THROWS_AS(training.ranker_of(2), std::invalid_argument);
  training.advance();
  CHECK(training.ranker_of(2).parameters()[0] == 2.0F);
  CHECK(training.ranker_of(1).parameters().empty());  // it sends nothing any more
}

TEST_CASE("forget replays rounds without the forgotten clients, with the records of each client") {
  auto const data = toy_dataset();
  auto const federation = make_federation(LinearRanker(5), NoClicks{}, SendsId{}, FedAvg{}).with_unlearner(Retrains{});
  auto training = federation.start(split_iid(data, {.clients = 5, .interactions = 4}));
  for (int i = 0; i < 4; ++i) training.advance();
  CHECK(training.ranker().parameters()[0] == 2.0F);
  for (auto const& state : training.client_states()) CHECK(state.kept.kept.size() == 2);
  training.forget({0, 1});
  CHECK(training.ranker().parameters()[0] == 3.0F);
  CHECK(training.ranker().parameters()[1] == 5.0F);
  for (std::size_t i = 0; i < 5; ++i)  // a replay records nothing; records of forgotten clients are gone
    CHECK(training.client_states()[i].kept.kept.size() == (i < 2 ? 0 : 2));
  training.advance();
  CHECK(training.round().statistics.reported == 3);  // the forgotten clients do not take part
  CHECK(training.ranker().parameters()[0] == 3.0F);
}

TEST_CASE("PerClient gives clients different click models") {
  auto const data = toy_dataset();
  PerClient<CascadeModel> const mixed{{CascadeModel::perfect(3), CascadeModel::poison(3)}};
  auto const clients = split_iid(data, {.clients = 20, .interactions = 2});
  auto one = fpdgd(LinearRanker(5), mixed).start(clients);
  auto two = fpdgd(LinearRanker(5), CascadeModel::perfect(3)).start(clients);
  one.advance();
  two.advance();
  CHECK_FALSE(same_bits(one.ranker(), two.ranker()));
}

TEST_CASE("run calls the observer after each round, and stops when it returns false") {
  auto const data = toy_dataset();
  auto const federation = fpdgd(LinearRanker(5), CascadeModel::perfect(3));
  auto const clients = split_iid(data, {.clients = 4, .interactions = 2});
  auto by_hand = federation.start(clients);
  for (int i = 0; i < 3; ++i) by_hand.advance();

  auto observed = federation.start(clients);
  std::vector<std::uint32_t> numbers;
  CHECK(observed.run(3, [&](auto const& round) { numbers.push_back(round.number); }) == 3);
  CHECK(numbers == std::vector<std::uint32_t>{1, 2, 3});
  CHECK(std::ranges::equal(observed.ranker().parameters(), by_hand.ranker().parameters()));

  auto stopped = federation.start(clients);
  CHECK(stopped.run(10, [](auto const& round) { return round.number < 3; }) == 3);
  CHECK(std::ranges::equal(stopped.ranker().parameters(), by_hand.ranker().parameters()));
  CHECK(stopped.run(0) == 0);
  CHECK(stopped.run(2) == 2);
  CHECK(stopped.number() == 5);
}
