#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <vector>

#include <fltr/aggregators/fed_avg.hpp>
#include <fltr/click_models/cascade_model.hpp>
#include <fltr/core/serial.hpp>
#include <fltr/execution/threads.hpp>
#include <fltr/federation/client_work.hpp>
#include <fltr/federation/make_federation.hpp>
#include <fltr/learners/pdgd.hpp>
#include <fltr/partition/iid.hpp>
#include <fltr/privatizers/gamma_noise.hpp>
#include <fltr/rankers/linear_ranker.hpp>

#include "support/catch.hpp"
#include "support/plain_threads.hpp"
#include "support/same_bits.hpp"
#include "support/shuffled_execution.hpp"
#include "support/toy_dataset.hpp"

namespace {

using namespace fltr;
using fltr::testing::PlainThreads;
using fltr::testing::same_bits;
using fltr::testing::ShuffledExecution;
using fltr::testing::toy_dataset;

/// PDGD whose messages have very different magnitudes, 10^-9 to 10^9, so that every change of the order in which they
/// are added up changes the sum. With a `sleep_seed`, each client also sleeps for a random time.
struct Uneven {
  using Message = LocalWeights;
  using Workspace = WorkspaceOf<Pdgd>;
  Pdgd learner;
  std::uint64_t sleep_seed = 0;

  LocalWeights learn(auto const& ranker, auto const& client, auto& session) const {
    auto message = fltr::learn(learner, ranker, client, session);
    auto const scale = static_cast<float>(std::pow(10.0, static_cast<double>(client.id * 7 % 19) - 9.0));
    for (float& v : message.values) v = v * scale + scale / 3.0F;
    if (sleep_seed != 0) {
      Stream stream({static_cast<std::uint32_t>(sleep_seed), client.id}, {});
      std::this_thread::sleep_for(std::chrono::microseconds(stream.below(400)));
    }
    return message;
  }
};

template <class E>
auto run(Dataset const& data, E execution, std::uint64_t sleep_seed = 0) {
  auto const federation =
      make_federation(LinearRanker(5), CascadeModel::informational(3), Uneven{{}, sleep_seed}, FedAvg{}, GammaNoise{})
          .with_execution(execution);
  auto training = federation.start(split_iid(data, {.clients = 203, .interactions = 3}), {.seed = 7});
  for (int i = 0; i < 3; ++i) training.advance();
  return training;
}

}  // namespace

TEST_CASE("Results have the same bits for any number of threads and any order in which blocks finish") {
  auto const data = toy_dataset();
  auto const expected = run(data, Serial{});
  auto const check = [&](auto const& training) {
    CHECK(same_bits(training.ranker(), expected.ranker()));
    CHECK(same_bits(training.round().statistics, expected.round().statistics));
  };
  for (int threads : {1, 2, 3, 8}) check(run(data, Threads{threads}));
  for (std::size_t threads : {2U, 5U}) check(run(data, PlainThreads{threads}));
  for (std::uint64_t seed : {1U, 2U, 3U}) check(run(data, ShuffledExecution{seed}));
  for (std::uint64_t seed : {1U, 2U}) check(run(data, Threads{8}, seed));
}

TEST_CASE("The sum of this test's messages depends on the order of addition") {
  // The same messages added from the last to the first, and in other blocks, give other bits: the test above can fail.
  auto const data = toy_dataset();
  auto const federation = make_federation(LinearRanker(5), CascadeModel::informational(3), Uneven{}, FedAvg{});
  auto const clients = split_iid(data, {.clients = 203, .interactions = 3});
  LinearRanker const start(5);
  std::vector<LocalWeights> messages;
  NoState state;
  for (std::size_t i = 0; i < clients.size(); ++i)
    messages.push_back(simulated_message(Uneven{}, CascadeModel::informational(3), NoPrivacy{}, start, clients[i],
                                         RoundInfo{7, 1, 203}, state));
  WeightSum forward = weight_sum_for(start);
  for (auto const& m : messages) forward.add(m);
  WeightSum backward = weight_sum_for(start);
  for (std::size_t i = messages.size(); i > 0; --i) backward.add(messages[i - 1]);
  CHECK_FALSE(same_bits(forward, backward));
}
