#include <sys/wait.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

#include <fltr/aggregators/fed_avg.hpp>
#include <fltr/click_models/cascade_model.hpp>
#include <fltr/core/fields.hpp>
#include <fltr/federation/client_key.hpp>
#include <fltr/federation/client_work.hpp>
#include <fltr/federation/make_federation.hpp>
#include <fltr/federation/server_round.hpp>
#include <fltr/learners/evolution_strategy.hpp>
#include <fltr/learners/pdgd.hpp>
#include <fltr/messages/wire.hpp>
#include <fltr/partition/iid.hpp>
#include <fltr/privatizers/gamma_noise.hpp>
#include <fltr/privatizers/gaussian_noise.hpp>
#include <fltr/privatizers/laplace_noise.hpp>
#include <fltr/privatizers/randomized_metric.hpp>
#include <fltr/rankers/linear_ranker.hpp>

#include "support/catch.hpp"
#include "support/client_limits.hpp"
#include "support/same_bits.hpp"
#include "support/toy_dataset.hpp"

namespace {

using namespace fltr;
using fltr::testing::same_bits;
using fltr::testing::toy_dataset;

void send_bytes(int to, std::span<std::byte const> bytes) {
  std::uint64_t const size = bytes.size();
  auto const put = [to](void const* from, std::size_t n) {
    for (auto const* p = static_cast<char const*>(from); n > 0;) {
      auto const done = ::write(to, p, n);
      if (done <= 0) throw std::runtime_error("write");
      p += done;
      n -= static_cast<std::size_t>(done);
    }
  };
  put(&size, sizeof size);
  put(bytes.data(), bytes.size());
}

std::vector<std::byte> receive_bytes(int from) {
  auto const get = [from](void* to, std::size_t n) {
    for (auto* p = static_cast<char*>(to); n > 0;) {
      auto const done = ::read(from, p, n);
      if (done <= 0) throw std::runtime_error("read");
      p += done;
      n -= static_cast<std::size_t>(done);
    }
  };
  std::uint64_t size = 0;
  get(&size, sizeof size);
  std::vector<std::byte> bytes(size);
  get(bytes.data(), bytes.size());
  return bytes;
}

constexpr std::size_t clients = 37;
constexpr std::uint32_t interactions = 3;
constexpr std::uint32_t rounds = 4;
constexpr std::uint64_t seed = 11;

/// All clients, in another process: reads the global model, answers with a message per client, in reverse order.
[[noreturn]] void run_clients(int from_server, int to_server, Dataset const& data) {
  try {
    auto const population = split_iid(data, {.clients = clients, .interactions = interactions});
    for (std::uint32_t round = 1; round <= rounds; ++round) {
      LinearRanker global;
      auto const model = receive_bytes(from_server);
      FieldReader reader(model);
      reader.read(global);
      for (std::size_t i = clients; i > 0; --i) {
        NoState state;
        auto const message = simulated_message(Pdgd{}, CascadeModel::informational(3), GammaNoise{}, global,
                                               population[i - 1], RoundInfo{seed, round, clients}, state);
        send_bytes(to_server, to_bytes(message));
      }
    }
    ::_exit(0);
  } catch (...) {
    ::_exit(1);
  }
}

}  // namespace

TEST_CASE("Clients and server in two processes, connected by a pipe, give the same bits as the Federation") {
  auto const data = toy_dataset();
  int down[2];
  int up[2];
  REQUIRE(::pipe(down) == 0);
  REQUIRE(::pipe(up) == 0);
  ::pid_t const child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) run_clients(down[0], up[1], data);
  ::close(down[0]);
  ::close(up[1]);

  LinearRanker ranker(5);
  NoState state;
  for (std::uint32_t round = 1; round <= rounds; ++round) {
    send_bytes(down[1], field_bytes(ranker));
    std::vector<ClientMessage<LocalWeights>> arrived;
    for (std::size_t i = clients; i > 0; --i)
      arrived.push_back({static_cast<ClientId>(i - 1), from_bytes<LocalWeights>(receive_bytes(up[0]))});
    auto const statistics = serve_round(FedAvg{}, {clients, interactions}, std::move(arrived), ranker, state);
    CHECK(statistics.reported == clients);
    CHECK(statistics.rejected == 0);
  }
  ::close(down[1]);
  ::close(up[0]);
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);

  auto const federation =
      make_federation(LinearRanker(5), CascadeModel::informational(3), Pdgd{}, FedAvg{}, GammaNoise{});
  auto training = federation.start(split_iid(data, {.clients = clients, .interactions = interactions}), {.seed = seed});
  for (std::uint32_t round = 1; round <= rounds; ++round) training.advance();
  CHECK(same_bits(training.ranker(), ranker));
}

namespace {

/// The noise that a client adds to zeros, and the seed of its perturbation, under a key.
std::vector<float> noise_of_message(ClientKey& key, RoundInfo const& round) {
  NoState state;
  auto account = fltr::testing::generous_account();
  return client_message(Pdgd{}, CascadeModel::informational(3), LaplaceNoise{}, LinearRanker(5),
                        Client{0, 3, QueryPool()}, round, state, key, account)
      .values;
}
std::uint64_t seed_of_message(ClientKey& key, RoundInfo const& round, Dataset const& data) {
  NoState state;
  auto account = fltr::testing::generous_account();
  return client_message(EvolutionStrategy<>{}, CascadeModel::informational(3), NoPrivacy{}, LinearRanker(5),
                        Client{0, 4, QueryPool(data)}, round, state, key, account)
      .seed;
}

}  // namespace

TEST_CASE("A real client's message does not depend on the run's seed or on other clients' messages") {
  auto const data = toy_dataset();
  RoundInfo const round{seed, 1, clients};
  auto first = ClientKey::repeatable(Key256{1, 2, 3});
  auto second = ClientKey::repeatable(Key256{1, 2, 4});
  auto again = ClientKey::repeatable(Key256{1, 2, 3});
  auto const noise = noise_of_message(first, round);
  CHECK(noise != noise_of_message(second, round));  // the same seed, round and client, another key
  CHECK(noise == noise_of_message(again, RoundInfo{seed + 1, 1, clients}));  // the seed does not matter
  CHECK(noise_of_message(first, round) != noise);  // noise is never used twice, not even in one round
  NoState state;
  CHECK(noise != simulated_message(Pdgd{}, CascadeModel::informational(3), LaplaceNoise{}, LinearRanker(5),
                                   Client{0, 3, QueryPool()}, round, state)
                     .values);

  // FOLtR-ES: in a simulation the seed in a message follows from the run's seed; at a real client it must not.
  auto system = ClientKey::from_system();
  auto const simulated = Streams{seed, 1, 0}.of(Purpose::perturbation).bits64();
  CHECK(simulated_message(EvolutionStrategy<>{}, CascadeModel::informational(3), NoPrivacy{}, LinearRanker(5),
                          Client{0, 4, QueryPool(data)}, round, state)
            .seed == simulated);
  CHECK(seed_of_message(system, round, data) != simulated);
  CHECK(seed_of_message(first, round, data) != seed_of_message(first, round, data));
}

TEST_CASE(
    "With a privatizer that has a loss, a client without data sends a message of the same form as other clients") {
  NoState state;
  RoundInfo const round{seed, 1, clients};
  auto const interactions_of = [&](auto const& privatizer) {
    return simulated_message(Pdgd{}, CascadeModel::informational(3), privatizer, LinearRanker(5),
                             Client{0, 3, QueryPool()}, round, state)
        .interactions;
  };
  CHECK(interactions_of(NoPrivacy{}) == 0);  // without a loss the number is public, as documented
  CHECK(interactions_of(LaplaceNoise{}) == 3);
  CHECK(interactions_of(GaussianNoise{}) == 3);
  CHECK(interactions_of(GammaNoise{}) == 3);
  CHECK(simulated_message(EvolutionStrategy<>{}, CascadeModel::informational(3), RandomizedMetric::max_rr(0.5),
                          LinearRanker(5), Client{0, 4, QueryPool()}, round, state)
            .metrics.size() == 4);
}

TEST_CASE(
    "serve_round rejects messages that do not fit, second messages of a client, and messages of unknown clients") {
  LinearRanker ranker(2);
  NoState state;
  std::vector<ClientMessage<LocalWeights>> arrived{{1, {{2.0F, 2.0F}, 4}}, {0, {{1.0F, 1.0F}, 4}},
                                                   {1, {{9.0F, 9.0F}, 4}}, {7, {{9.0F, 9.0F}, 4}},
                                                   {2, {{9.0F}, 4}},       {3, {{9.0F, 9.0F}, 5}}};
  auto const statistics = serve_round(FedAvg{}, {5, 4}, arrived, ranker, state);
  CHECK(statistics.reported == 2);
  CHECK(statistics.rejected == 4);
  CHECK(ranker.parameters()[0] == 1.5F);
  CHECK(statistics.dropped == 1);  // client 4; the messages of 2 and 3 arrived and were rejected
  auto const sampled = serve_round(FedAvg{}, {5, 0, 1, {0, 4, 2, 0, 4}}, arrived, ranker, state);
  CHECK(sampled.reported == 1);  // client 1; 0 was not asked
  CHECK(sampled.dropped == 1);
  CHECK(ranker.parameters()[0] == 2.0F);
  CHECK_THROWS_AS(serve_round(FedAvg{}, {5, 4, 0}, arrived, ranker, state), std::invalid_argument);
  auto const before = ranker;
  CHECK(serve_round(FedAvg{}, {5, 4, 3}, arrived, ranker, state).reported == 2);
  CHECK(same_bits(before, ranker));
}
