// A sealing aggregator in the frame: phases before and after local work, dropouts in each phase, and letters as bytes.
#include "frame/masked_sum.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <vector>

#include <fltr/click_models/cascade_model.hpp>
#include <fltr/click_models/no_clicks.hpp>
#include <fltr/execution/threads.hpp>
#include <fltr/federation/client_work.hpp>
#include <fltr/federation/sealed_client.hpp>
#include <fltr/federation/sealed_round.hpp>
#include <fltr/learners/pdgd.hpp>
#include <fltr/partition/iid.hpp>
#include <fltr/presets/fpdgd.hpp>
#include <fltr/privatizers/gamma_noise.hpp>
#include <fltr/rankers/linear_ranker.hpp>

#include "frame/forked.hpp"
#include "support/catch.hpp"
#include "support/client_limits.hpp"
#include "support/same_bits.hpp"
#include "support/toy_dataset.hpp"

namespace {

using namespace fltr;
using fltr::testing::Forked;
using fltr::testing::MaskedSum;
using fltr::testing::Modular;
using fltr::testing::same_bits;
using fltr::testing::toy_dataset;

// The server's half has no function that receives a message without a mask.
template <class Server>
concept TakesMessages = requires(Server& server, LocalWeights const& message) { server.receive(ClientId{}, message); };
static_assert(!TakesMessages<SealedRound<MaskedSum, LocalWeights>>);

/// The client with id c sends the integers 10 c, 10 c + 1, …
struct SendsIntegers {
  using Message = LocalWeights;
  LocalWeights learn(auto const& ranker, auto const& client, auto&) const {
    LocalWeights message{std::vector<float>(ranker.parameters().size()), 1};
    for (std::size_t k = 0; k < message.values.size(); ++k)
      message.values[k] = static_cast<float>(10 * client.id + static_cast<std::uint32_t>(k));
    return message;
  }
};

/// Clients with odd ids. `fails`: the phase in which a client does not report, by position.
struct Failing {
  std::vector<Client> clients;
  std::map<std::size_t, RoundPhase> fails;
  std::vector<std::uint32_t> sampled;

  std::size_t size() const { return clients.size(); }
  Client operator[](std::size_t i) const { return clients[i]; }
  std::vector<std::uint32_t> participants(std::uint32_t, Stream&) const { return sampled; }
  bool reports(RoundPhase const& at, std::size_t i, Stream&) const {
    auto const found = fails.find(i);
    return found == fails.end() || found->second.phase != at.phase || found->second.exchange != at.exchange;
  }
};

Failing population(Dataset const& data, std::size_t count, std::map<std::size_t, RoundPhase> fails) {
  Failing out{{}, std::move(fails), {}};
  for (std::uint32_t i = 0; i < count; ++i) {
    out.clients.push_back({2 * ((7 * i) % 101) + 1, 1, QueryPool(data)});
    if (i % 5 != 4) out.sampled.push_back(i);  // every fifth is not asked
  }
  return out;
}

constexpr RoundPhase keys{1, Phase::exchange_before, 0};
constexpr RoundPhase shares{1, Phase::exchange_before, 1};
constexpr RoundPhase message{1, Phase::message, 0};
constexpr RoundPhase unmasking{1, Phase::exchange_after, 0};

}  // namespace

TEST_CASE(
    "A masked sum is the exact integer sum of the reports, for every set of clients that drop out before and after the "
    "seal") {
  auto const data = toy_dataset(3, 3);
  auto const federation = make_federation(LinearRanker(5), NoClicks{}, SendsIntegers{}, MaskedSum{});
  std::vector<std::map<std::size_t, RoundPhase>> const cases{
      {},
      {{1, keys}},
      {{1, shares}, {22, shares}},
      {{0, message}},
      {{3, message}, {7, message}, {31, message}},
      {{1, unmasking}, {2, unmasking}},
      {{0, keys}, {1, shares}, {2, message}, {3, unmasking}, {5, keys}, {6, message}, {7, unmasking}, {38, message}},
  };
  for (auto const& fails : cases) {
    auto const clients = population(data, 40, fails);
    auto const check = [&](auto const& on) {
      auto training = on.start(clients);
      training.advance();
      std::vector<std::int64_t> expected(6);
      std::uint64_t count = 0;
      for (std::uint32_t i : clients.sampled) {
        if (auto const found = fails.find(i); found != fails.end() && found->second.phase != Phase::exchange_after)
          continue;
        ++count;
        for (std::int64_t k = 0; k < 5; ++k)
          expected[static_cast<std::size_t>(k)] += (10 * std::int64_t{clients.clients[i].id} + k) << 20U;
        ++expected[5];
      }
      CHECK(training.server_state().integers == expected);
      CHECK(training.server_state().count == count);
      CHECK(training.round().statistics.reported == count);
      CHECK(training.round().statistics.dropped == clients.sampled.size() - count);
    };
    check(federation);
    check(federation.with_execution(Threads{3}));
    check(federation.with_execution(Forked{}));
  }
}

TEST_CASE("A sum that cannot be opened leaves the ranker unchanged") {
  auto const data = toy_dataset(3, 3);
  auto const federation = make_federation(LinearRanker(5), NoClicks{}, SendsIntegers{}, MaskedSum{.threshold = 7});
  // Nine are asked. One sends no message, then two do not reveal their shares of its key: six shares are too few.
  auto clients = population(data, 11, {{0, message}, {1, unmasking}, {2, unmasking}});
  auto training = federation.start(clients);
  auto const before = training.ranker();
  training.advance();
  CHECK(same_bits(training.ranker(), before));
  CHECK(training.server_state().integers.empty());
  CHECK(training.round().statistics.discarded);
  clients.fails.erase(2);
  auto enough = federation.start(clients);
  enough.advance();
  CHECK_FALSE(same_bits(enough.ranker(), before));
}

TEST_CASE("With fewer than minimum_reports messages the sum is not opened") {
  auto const data = toy_dataset(3, 3);
  auto const federation = make_federation(LinearRanker(5), NoClicks{}, SendsIntegers{}, MaskedSum{}, GammaNoise{});
  auto training = federation.start(population(data, 20, {{0, message}, {1, message}}), {.minimum_reports = 15});
  auto const before = training.ranker();
  training.advance();
  CHECK(training.round().statistics.reported == 14);
  CHECK(same_bits(training.ranker(), before));
  CHECK(training.round().privacy->epsilon_accounted == 0.0);  // a sealed sum that is not opened reveals nothing
}

TEST_CASE("A single masked message does not depend on the secret, and the sum is exact") {
  // One client has one of two secrets, everything else is equal. Every number on the wire must differ from the plain
  // one, and each byte of the masked numbers must be uniform. χ² over 256 values has 255 degrees of freedom and
  // exceeds 400 with a probability below 1e-7.
  MaskedSum const protocol;
  std::vector<ClientId> const asked{1, 3, 5};
  for (float secret : {0.0F, 1000.0F}) {
    std::vector<double> bytes(256);
    std::size_t total = 0;
    for (std::uint64_t run = 0; run < 3000; ++run) {
      MaskedSum::Secret mine{.key = Stream(run).below64(1U << 30U) + 1};
      MaskedSum::Partners partners;
      for (ClientId id : asked) partners.keys[id] = Modular::power(3, 12345 + 777 * id + run);
      auto const wire =
          protocol.seal({{secret, secret}, 1}, mine, field_bytes(partners), {{1, asked, {}, 1}, 1, 1, Streams{run}});
      for (std::uint64_t v : wire.masked)
        for (int shift = 0; shift < 64; shift += 8, ++total) bytes[(v >> static_cast<unsigned>(shift)) & 0xFFU] += 1.0;
    }
    double chi = 0.0;
    double const expected = static_cast<double>(total) / 256;
    for (double n : bytes) chi += (n - expected) * (n - expected) / expected;
    CHECK(chi < 400.0);
  }
}

TEST_CASE("SealedClient and SealedRound over bytes give the bits of the Federation") {
  auto const data = toy_dataset();
  constexpr std::size_t n = 20;
  auto const clients = split_iid(data, {.clients = n, .interactions = 3});
  MaskedSum const aggregator{.threshold = 5};
  auto const federation =
      fpdgd(LinearRanker(5), CascadeModel::informational(3), {}, GammaNoise{}).with_aggregator(aggregator);
  auto training = federation.start(clients, {.seed = 11});

  LinearRanker ranker(5);
  MaskedSum::State state;
  std::vector<ClientId> asked;
  for (ClientId id = 0; id < n; ++id) asked.push_back(id);
  for (std::uint32_t number = 1; number <= 3; ++number) {
    training.advance();

    LinearRanker const global = ranker;
    SealRound const round{number, asked, global.parameters(), 1};
    RoundInfo const info{11, number, n};
    std::vector<SealedClient<MaskedSum>> halves;
    for (ClientId id : asked) {
      auto account = fltr::testing::generous_account();
      halves.emplace_back(aggregator, SealContext{round, id, 3, info.streams(id)}, account);
    }
    SealedRound<MaskedSum, LocalWeights> server(aggregator, round);
    while (!server.finished()) {
      for (ClientId id : server.waiting()) {
        Letter const question = server.question(id);
        if (server.phase() != 2) {
          CHECK(server.receive(id, halves[id].answer(question)));
          continue;
        }
        NoState none;
        auto plain =
            simulated_message(Pdgd{}, CascadeModel::informational(3), GammaNoise{}, global, clients[id], info, none);
        CHECK(server.receive(id, halves[id].seal(std::move(plain), question)));
      }
      server.next_phase();
    }
    auto const statistics = server.aggregate(ranker, state);
    CHECK(statistics.reported == n);
    CHECK(same_bits(ranker, training.ranker()));
    CHECK(same_bits(state, training.server_state()));
  }
}

TEST_CASE(
    "SealedRound refuses malformed letters, repeated letters and letters of unknown clients, and still gets the sum") {
  MaskedSum const aggregator{.threshold = 2};
  std::vector<ClientId> const asked{3, 5, 9, 11, 13};
  LinearRanker ranker(2);
  MaskedSum::State state;
  std::vector<float> const broadcast(2);
  SealRound const round{1, asked, broadcast, 1};
  std::vector<SealedClient<MaskedSum>> halves;
  for (ClientId id : asked) {
    auto account = fltr::testing::generous_account();
    halves.emplace_back(aggregator, SealContext{round, id, 1, Streams{1, 1, id}}, account);
  }
  SealedRound<MaskedSum, LocalWeights> server(aggregator, round);
  CHECK_FALSE(server.receive(4, Letter(8)));  // a stranger
  for (std::size_t i = 0; i < 5; ++i) {
    auto const letter = halves[i].answer(server.question(asked[i]));
    CHECK(server.receive(asked[i], letter));
    CHECK_FALSE(server.receive(asked[i], letter));  // repeated
  }
  server.next_phase();
  CHECK_FALSE(server.receive(11, Letter(3)));  // malformed: client 11 is out
  CHECK_FALSE(server.waits_for(11));
  CHECK(server.refused(11));
  for (std::size_t i : {0U, 1U, 2U, 4U}) CHECK(server.receive(asked[i], halves[i].answer(server.question(asked[i]))));
  server.next_phase();
  CHECK(server.waiting() == std::vector<ClientId>{3, 5, 9, 13});
  CHECK_THROWS_AS(halves[1].answer({}), std::invalid_argument);  // the message is due
  for (std::size_t i : {0U, 1U, 2U})
    CHECK(server.receive(asked[i],
                         halves[i].seal(LocalWeights{{1.0F, static_cast<float>(i)}, 1}, server.question(asked[i]))));
  CHECK_FALSE(server.receive(13, field_bytes(MaskedSum::Wire{})));  // the right type, a wrong size
  server.next_phase();
  for (std::size_t i : {0U, 1U, 2U}) CHECK(server.receive(asked[i], halves[i].answer(server.question(asked[i]))));
  server.next_phase();
  auto const statistics = server.aggregate(ranker, state);
  CHECK(statistics.reported == 3);
  CHECK(statistics.rejected == 2);
  CHECK(statistics.dropped == 0);
  CHECK(state.integers == std::vector<std::int64_t>{3 << 20U, 3 << 20U, 3});
  CHECK(ranker.parameters()[0] == 1.0F);
}

TEST_CASE("SealedRound does not open the sum with fewer than minimum_reports messages") {
  MaskedSum const aggregator{.threshold = 2};
  std::vector<ClientId> const asked{0, 1, 2};
  std::vector<float> const broadcast(2);
  for (std::uint64_t minimum : {2U, 3U}) {
    LinearRanker ranker(2);
    MaskedSum::State state;
    SealRound const round{1, asked, broadcast, minimum};
    std::vector<SealedClient<MaskedSum>> halves;
    for (ClientId id : asked) {
      auto account = fltr::testing::generous_account();
      halves.emplace_back(aggregator, SealContext{round, id, 1, Streams{1, 1, id}}, account);
    }
    SealedRound<MaskedSum, LocalWeights> server(aggregator, round);
    while (!server.finished()) {
      for (ClientId id : server.waiting()) {
        if (server.phase() != 2)
          server.receive(id, halves[id].answer(server.question(id)));
        else if (id != 2)
          server.receive(id, halves[id].seal(LocalWeights{{1.0F, 2.0F}, 1}, server.question(id)));
      }
      server.next_phase();
    }
    auto const statistics = server.aggregate(ranker, state);
    CHECK(statistics.reported == 2);
    CHECK(statistics.discarded == (minimum == 3));
    CHECK(state.integers.empty() == (minimum == 3));
  }
}
