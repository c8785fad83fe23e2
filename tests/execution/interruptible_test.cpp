#include <fltr/execution/interruptible.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <fltr/aggregators/es_gradient.hpp>
#include <fltr/aggregators/fed_avg.hpp>
#include <fltr/click_models/cascade_model.hpp>
#include <fltr/click_models/no_clicks.hpp>
#include <fltr/core/fields.hpp>
#include <fltr/core/serial.hpp>
#include <fltr/execution/threads.hpp>
#include <fltr/federation/fine_tune.hpp>
#include <fltr/federation/make_federation.hpp>
#include <fltr/federation/train_alone.hpp>
#include <fltr/learners/evolution_strategy.hpp>
#include <fltr/learners/lambda_mart.hpp>
#include <fltr/learners/lambda_rank.hpp>
#include <fltr/learners/pdgd.hpp>
#include <fltr/learners/proximal.hpp>
#include <fltr/messages/client_message.hpp>
#include <fltr/partition/dropout.hpp>
#include <fltr/partition/iid.hpp>
#include <fltr/presets/fpdgd.hpp>
#include <fltr/privatizers/gamma_noise.hpp>
#include <fltr/rankers/forest.hpp>
#include <fltr/rankers/linear_ranker.hpp>
#include <fltr/unlearners/retrain.hpp>

#include "support/catch.hpp"
#include "support/merge_order.hpp"
#include "support/plain_threads.hpp"
#include "support/toy_dataset.hpp"

namespace {

using namespace fltr;
using fltr::testing::MergeOrder;
using fltr::testing::PlainThreads;
using fltr::testing::toy_dataset;

/// A learner whose work costs nothing.
struct Nothing {
  using Message = LocalWeights;
  template <class R, class C>
  std::uint32_t train(R&, C const& client, auto&) const {
    return client.interactions;
  }
};

/// Clients that count how often they are looked at. The caller asks to stop at a given number.
struct Watched {
  std::size_t clients = 0;
  QueryPool queries{};

  static inline std::size_t looks = 0;
  static inline std::size_t stop_at = 0;  // 0: never
  static bool stops() { return stop_at != 0 && looks >= stop_at; }

  [[nodiscard]] std::size_t size() const { return clients; }
  [[nodiscard]] Client operator[](std::size_t i) const {
    ++looks;
    return {static_cast<ClientId>(i), 1, queries};
  }
};

/// A stop at the question after `most` others; 0: never.
struct StopAfter {
  std::atomic<std::size_t>* asked;
  std::size_t most = 0;
  bool operator()() const {
    std::size_t const before = (*asked)++;
    return most != 0 && before >= most;
  }
};

/// A round of one client in which about `interactions` interactions happen. The caller is asked every 1,024 steps at least,
/// stops the round at any of these questions, and the round then runs again with the same bits.
template <class Federation, class Clients>
void check_stops_within_a_client(Federation const& federation, Clients const& clients, std::size_t interactions) {
  auto whole = federation.start(clients);
  whole.advance();
  std::atomic<std::size_t> asked = 0;
  for (std::size_t const most : {std::size_t{0}, std::size_t{1}, interactions / 2048, interactions / 1024}) {
    CAPTURE(most);
    auto stopped = federation.with_execution(Interruptible(Serial{}, StopAfter{&asked, 0})).start(clients);
    asked = 0;
    if (most == 0) {
      stopped.advance();
      CHECK(field_bytes(stopped) == field_bytes(whole));
      REQUIRE(asked >= interactions / 1024);
      CHECK(asked <= interactions / 256 + 100);  // few enough to cost nothing
      continue;
    }
    auto training = federation.with_execution(Interruptible(Serial{}, StopAfter{&asked, most})).start(clients);
    auto const before = field_bytes(training);
    asked = 0;
    CHECK_THROWS_AS(training.advance(), Interrupted);
    CHECK(asked == most + 1);
    CHECK(field_bytes(training) == before);
  }
}

struct LastForest {
  void aggregate(std::span<ClientMessage<Forest> const> messages, Forest& ranker) const {
    ranker = messages.back().message;
  }
};

/// Work that neither shows lists nor takes steps.
struct Works {
  using Message = LocalWeights;
  std::atomic<std::size_t>* begun;
  auto members(auto&& visit) const { return visit(); }
  template <class R, class C>
  std::uint32_t train(R&, C const& client, auto&) const {
    ++*begun;
    return client.interactions;
  }
};

}  // namespace

static_assert(Execution<Interruptible<Serial, bool (*)()>>);
static_assert(SharedMemoryExecution<Interruptible<Threads, bool (*)()>>);
static_assert(!BlockKeepingExecution<Interruptible<Threads, bool (*)()>>);

TEST_CASE("An Interruptible that is not stopped joins as Serial does") {
  auto const leaf = [](std::size_t i) { return MergeOrder::leaf(i); };
  auto const never = [] { return false; };
  for (std::size_t blocks = 1; blocks < 40; ++blocks) {
    auto const expected = Serial{}.reduce(blocks, leaf).text;
    CHECK(Interruptible(Serial{}, never).reduce(blocks, leaf).text == expected);
    CHECK(Interruptible(Threads{3}, never).reduce(blocks, leaf).text == expected);
  }
}

TEST_CASE("After the caller asked to stop, no further block starts") {
  std::atomic<bool> stop = false;
  std::atomic<std::size_t> begun = 0;
  auto const stopped = [&] { return stop.load(); };
  auto const leaf = [&](std::size_t i) {
    CHECK(!stop.load());
    ++begun;
    if (i == 500) stop = true;
    return MergeOrder::leaf(i);
  };
  CHECK_THROWS_AS(Interruptible(Serial{}, stopped).reduce(4'000'000'000, leaf), Interrupted);
  CHECK(begun == 501);
  CHECK_THROWS_AS(Interruptible(Threads{1}, stopped).reduce(1000, leaf), Interrupted);
  CHECK(begun == 501);
}

TEST_CASE("All threads of a round of 4e9 clients stop") {
  std::atomic<std::size_t> begun = 0;
  auto const stopped = [&] { return begun.load() >= 2000; };
  auto const leaf = [&](std::size_t i) {
    ++begun;
    return fltr::archetypes::Leaf{}(i);
  };
  CHECK_THROWS_AS(Interruptible(Threads{4}, stopped).reduce(250'000'000, leaf), Interrupted);
  CHECK(begun >= 2000);
  CHECK(begun < 2000 + 4);  // one block of each thread may start between the question and the answer
}

TEST_CASE("The caller learns which block of how many starts") {
  std::vector<std::size_t> seen;
  Interruptible const watched(Serial{}, [&](std::size_t block, std::size_t blocks) {
    seen.push_back(block * 100 + blocks);
    return false;
  });
  (void)watched.reduce(3, [](std::size_t i) { return MergeOrder::leaf(i); });
  CHECK(seen == std::vector<std::size_t>{3, 103, 203});
  watched.interruption_point();
  CHECK(seen.back() == 0);
}

TEST_CASE("An interrupted round is undone, and runs again with the same bits") {
  auto const data = toy_dataset();
  auto const clients = Dropout{split_iid(data, {.clients = 200, .interactions = 2}), 0.2};
  auto const federation = fpdgd(LinearRanker(5), CascadeModel::perfect(3));
  auto whole = federation.start(clients);
  whole.run(2);
  whole.advance();

  std::atomic<int> left = -1;  // the number of questions after which the caller stops; -1: never
  auto const stopped = [&] { return left >= 0 && left-- == 0; };
  auto training = federation.with_execution(Interruptible(Threads{2}, stopped)).start(clients);
  training.run(2);
  auto const before = field_bytes(training);
  for (int const questions : {0, 1, 7, 12}) {
    left = questions;
    CHECK_THROWS_WITH(training.advance(), "interrupted: the caller asked to stop");
    left = -1;
    CHECK(field_bytes(training) == before);
  }
  training.advance();
  CHECK(field_bytes(training) == field_bytes(whole));
}

TEST_CASE("Wherever a training is, few clients are looked at after the caller asked to stop") {
  auto const data = toy_dataset();
  auto const federation = make_federation(LinearRanker(5), CascadeModel::perfect(3), Nothing{}, FedAvg{}, GammaNoise{})
                              .with_unlearner(Retrain{})
                              .with_execution(Interruptible(Serial{}, &Watched::stops));
  constexpr std::size_t count = 150'000;
  auto const run = [&](std::size_t stop_at, bool forgets) {
    Watched::looks = 0;
    Watched::stop_at = stop_at;
    auto training = federation.start(Dropout{Watched{count, QueryPool(data)}, 0.1});
    training.advance();
    if (forgets) training.forget({3});
    training.advance();
  };
  for (bool const forgets : {false, true}) {
    run(0, forgets);
    std::size_t const all = Watched::looks;
    REQUIRE(all >= (forgets ? 10 : 6) * count);  // ids, prices, two rounds, perhaps a replay, their charges
    // A replay that throws is charged to all its clients, and a charge is not interrupted.
    std::size_t const charge = forgets ? count : 0;
    for (std::size_t k = 1; k < 8; ++k) {
      CHECK_THROWS_AS(run(all / 8 * k, forgets), Interrupted);
      CHECK(Watched::looks < all / 8 * k + 65'536 + clients_per_block + charge);
    }
  }
}

TEST_CASE("A round stops in the middle of a client's work") {
  auto const data = toy_dataset();
  constexpr std::uint32_t n = 20'000;
  auto const clients = split_iid(data, {.clients = 1, .interactions = n});
  auto const federation = fpdgd(LinearRanker(5), CascadeModel::perfect(3));
  SECTION("Pdgd") { check_stops_within_a_client(federation, clients, n); }
  SECTION("Pdgd, one step") {
    check_stops_within_a_client(
        make_federation(LinearRanker(5), CascadeModel::perfect(3), Pdgd{.update = LocalUpdate::once}, FedAvg{}),
        clients, n);
  }
  SECTION("learners within learners") {
    check_stops_within_a_client(make_federation(LinearRanker(5), CascadeModel::perfect(3), Proximal<Pdgd>{}, FedAvg{}),
                                clients, n);
  }
  SECTION("without clicks") {
    check_stops_within_a_client(
        make_federation(LinearRanker(5), NoClicks{}, LambdaRank{.update = LocalUpdate::once}, FedAvg{}), clients, n);
  }
  SECTION("evolution strategies") {
    check_stops_within_a_client(
        make_federation(LinearRanker(5), CascadeModel::perfect(3), EvolutionStrategy<>{}, EsGradient{}), clients, n);
  }
  SECTION("trees") {
    // A tree of 40 queries counts 40 steps.
    check_stops_within_a_client(
        make_federation(Forest(5), NoClicks{}, LambdaMart{.trees = 100, .leaves = 3, .min_data = 1}, LastForest{}),
        clients, 100 * 40);
  }
}

TEST_CASE("A round stops between two clients of a block") {
  auto const data = toy_dataset();
  auto const clients = split_iid(data, {.clients = clients_per_block, .interactions = 1});
  std::atomic<std::size_t> begun = 0;
  auto const stopped = [&] { return begun >= 3; };
  auto training = make_federation(LinearRanker(5), CascadeModel::perfect(3), Works{&begun}, FedAvg{})
                      .with_execution(Interruptible(Serial{}, stopped))
                      .start(clients);
  CHECK_THROWS_AS(training.advance(), Interrupted);
  CHECK(begun == 3);
}

TEST_CASE("Fine-tuning and training alone stop within a client") {
  auto const data = toy_dataset();
  auto const clients = split_iid(data, {.clients = 2, .interactions = 2});
  std::atomic<bool> stop = false;
  std::atomic<std::size_t> asked = 0;
  auto const stopped = [&] { return stop && asked++ == 5; };
  auto const federation =
      fpdgd(LinearRanker(5), CascadeModel::perfect(3)).with_execution(Interruptible(Serial{}, stopped));
  auto training = federation.start(clients);
  training.advance();
  stop = true;
  CHECK_THROWS_AS(fine_tune(training, {.steps = 1'000'000'000}), Interrupted);
  CHECK(asked == 6);
  asked = 0;
  CHECK_THROWS_AS(train_alone(federation, clients, {.rounds = 1'000'000'000}), Interrupted);
  CHECK(asked == 6);
}

namespace {

/// One of several processes, of which each keeps its blocks.
struct KeepsBlocks {
  static constexpr bool keeps_blocks = true;
  template <class Leaf>
  [[nodiscard]] auto reduce(std::size_t blocks, Leaf const& leaf) const {
    return Serial{}.reduce(blocks, leaf);
  }
};

}  // namespace

TEST_CASE("Processes that keep their blocks stop in reductions only, because all must leave at the same one") {
  auto const always = [] { return true; };
  STATIC_REQUIRE(BlockKeepingExecution<Interruptible<KeepsBlocks, decltype(always)>>);
  Interruptible const one_of_many(KeepsBlocks{}, always);
  CHECK_NOTHROW(one_of_many.interruption_point());
  CHECK_THROWS_AS(one_of_many.reduce(3, [](std::size_t i) { return MergeOrder::leaf(i); }), Interrupted);
  CHECK_THROWS_AS(Interruptible(Serial{}, always).interruption_point(), Interrupted);
}
