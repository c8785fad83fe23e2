#include <fltr/aggregators/secure_sum.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include <fltr/aggregators/es_gradient.hpp>
#include <fltr/aggregators/fed_avg.hpp>
#include <fltr/aggregators/fed_opt.hpp>
#include <fltr/aggregators/ideal_sum.hpp>
#include <fltr/click_models/cascade_model.hpp>
#include <fltr/execution/threads.hpp>
#include <fltr/federation/make_federation.hpp>
#include <fltr/learners/evolution_strategy.hpp>
#include <fltr/learners/pdgd.hpp>
#include <fltr/partition/iid.hpp>
#include <fltr/rankers/linear_ranker.hpp>

#include "support/catch.hpp"
#include "support/same_bits.hpp"
#include "support/secure_rounds.hpp"
#include "support/toy_dataset.hpp"

namespace {

using namespace fltr;
using fltr::testing::same_bits;
using fltr::testing::SecureRounds;
using fltr::testing::toy_dataset;

static_assert(SealProtocol<SecureSum<FedAvg>> && SealProtocol<SecureSum<FedAvg, SecureServer::malicious>>);
// The server's half adds masked messages only.
static_assert(SumOf<SecureSum<FedAvg>::Sum, SecureSum<FedAvg>::Wire> && !SumOf<SecureSum<FedAvg>::Sum, LocalWeights>);
static_assert(!SumOf<IdealSum<FedAvg>::Sum, LocalWeights>);
// The aggregator within gets a sum: no function of it takes a masked message.
template <class A, class Wire>
concept Takes = requires(A const& a, Wire const& wire) { a.contribution(wire, std::span<float const>{}); };
static_assert(!Takes<FedAvg, SecureSum<FedAvg>::Wire>);

template <SecureServer S, class Word>
void check_rounds(std::size_t n, SecureSetting setting = {.dropout = 0.3, .corrupt = 0.0}) {
  SecureRounds<S, Word> rounds(n, {}, setting);
  INFO("clients " << n << ", neighbours " << rounds.seal.graph.neighbours);
  auto const all = rounds.run();
  CHECK(all.statistics.reported == n);
  CHECK_FALSE(all.statistics.discarded);
  CHECK(all.weights == rounds.mean([](std::size_t) { return true; }));
  if (n < 7) return;
  // One client is lost in each phase. The one that is lost after its message counts.
  constexpr std::size_t last =
      SecureSum<FedAvg, S, Word>::exchanges_before + SecureSum<FedAvg, S, Word>::exchanges_after;
  std::size_t const apart = n / 7;
  auto const some = rounds.run([&](bool to_server, std::size_t phase, std::size_t i, Letter& letter) {
    if (to_server && (i == phase * apart) && (phase <= 2 || (phase == last && n >= 10))) letter.clear();
  });
  CHECK(some.statistics.reported == n - 3);
  CHECK_FALSE(some.statistics.discarded);
  CHECK(some.weights == rounds.mean([&](std::size_t i) { return i != 0 && i != apart && i != 2 * apart; }));
}

}  // namespace

TEST_CASE("The sum is exact for 2 to 200 clients, modulo 2^32 and 2^64, also if clients drop out in every phase") {
  for (std::size_t n : {2U, 3U, 4U, 7U, 10U, 50U}) {
    check_rounds<SecureServer::curious, std::uint64_t>(n);
    check_rounds<SecureServer::curious, std::uint32_t>(n);
    check_rounds<SecureServer::malicious, std::uint64_t>(n);
  }
  // Neighbour graphs of 28 of 200 and 68 of 100 clients.
  check_rounds<SecureServer::curious, std::uint32_t>(200, {.dropout = 0.1, .corrupt = 0.02});
  check_rounds<SecureServer::malicious, std::uint32_t>(100, {.dropout = 0.05, .corrupt = 0.01});
}

TEST_CASE("A round with fewer than t answers in a phase is discarded, and the ranker does not change") {
  for (std::size_t lost_phase : {0U, 1U, 2U, 3U}) {
    SecureRounds<> rounds(10, {10, 9, 7});
    rounds.broadcast = {1.0F, 2.0F, 3.0F, 4.0F};
    auto const run = [&](std::size_t lost) {
      return rounds.run([&](bool to_server, std::size_t phase, std::size_t i, Letter& letter) {
        if (to_server && phase == lost_phase && i < lost) letter.clear();
      });
    };
    CHECK_FALSE(run(3).statistics.discarded);
    auto const discarded = run(4);
    CHECK(discarded.statistics.discarded);
    CHECK(discarded.weights == rounds.broadcast);
  }
}

TEST_CASE("With fewer messages than minimum_reports the sum is not opened, and clients sign no such list") {
  SecureRounds<SecureServer::malicious> rounds(10, {10, 9, 7});
  rounds.minimum_reports = 9;
  auto const lose = [&](std::size_t lost) {
    std::size_t signatures = 0;
    auto const outcome = rounds.run([&](bool to_server, std::size_t phase, std::size_t i, Letter& letter) {
      if (to_server && phase == 2 && i < lost) letter.clear();
      if (to_server && phase == 3 && !letter.empty()) ++signatures;
    });
    return std::pair{outcome.statistics.discarded, signatures};
  };
  CHECK(lose(1) == std::pair{false, std::size_t{9}});
  CHECK(lose(2) == std::pair{true, std::size_t{0}});
}

TEST_CASE("Values beyond the range of a client are clamped, so that the sum cannot overflow") {
  FixedPoint const grid{.step = 1.0};
  CHECK(FixedPoint::largest<std::uint32_t>(1000) == 2147483);
  auto const words = grid.words<std::uint32_t>({{1e30, -1e30, 5.0}, 1}, 1000);
  CHECK(words == std::vector<std::uint32_t>{2147483U, static_cast<std::uint32_t>(-2147483), 5U, 1U});
  auto const heavy = grid.words<std::uint32_t>({{1e30, -3.0}, 1000}, 1000);
  CHECK(heavy == std::vector<std::uint32_t>{2147U * 1000U, static_cast<std::uint32_t>(-3000), 1000U});
  std::vector<std::uint32_t> sum(2);
  for (int i = 0; i < 1000; ++i) {
    auto const w = grid.words<std::uint32_t>({{1e30}, 1}, 1000);
    sum[0] += w[0];
    sum[1] += w[1];
  }
  auto const back = grid.sum(std::span<std::uint32_t const>(sum), 1000);
  CHECK(back.values[0] == 2147483000.0);
  CHECK(back.weight == 1000.0);
  CHECK_THROWS_AS((FixedPoint{.step = 0.3}.words<std::uint64_t>({{1.0}, 1}, 1)), std::invalid_argument);
  CHECK_THROWS_AS((FixedPoint{.step = -1.0}.words<std::uint64_t>({{1.0}, 1}, 1)), std::invalid_argument);
}

TEST_CASE("Words round to the nearest step, and the server clips the mean") {
  FixedPoint const grid{.step = 0.25, .clip = 1.0};
  auto const words = grid.words<std::uint64_t>({{0.3, -0.9}, 2}, 10);
  CHECK(words == std::vector<std::uint64_t>{2, static_cast<std::uint64_t>(-8), 2});
  auto const sum = grid.sum(std::span<std::uint64_t const>(words), 1);
  // The mean (.25, −1) has the norm √1.0625.
  CHECK(sum.values[0] / sum.weight == Approx(0.25 / std::sqrt(1.0625)));
  CHECK(sum.values[1] / sum.weight == Approx(-1.0 / std::sqrt(1.0625)));
}

namespace {

/// 40 clients of which 30 are asked, and of which about 30 % do not report. `phases`: whether a client can be lost in
/// every phase. Otherwise it is lost in the phase of the message if it would have been lost before or in it.
struct Lossy {
  std::vector<Client> clients;
  bool phases = true;

  std::size_t size() const { return clients.size(); }
  Client operator[](std::size_t i) const { return clients[i]; }
  std::vector<std::uint32_t> participants(std::uint32_t round, Stream&) const {
    std::vector<std::uint32_t> out;
    for (std::uint32_t i = 0; i < size(); ++i)
      if ((i + round) % 4 != 0) out.push_back(i);
    return out;
  }
  static bool lost(std::uint32_t round, std::size_t phase, std::size_t i) {
    return Stream(1000 * round + 100 * phase + i).uniform() < (phase == 2 ? 0.2 : 0.05);
  }
  bool reports(RoundPhase const& at, std::size_t i, Stream&) const {
    if (at.phase == Phase::exchange_before) return !lost(at.round, at.exchange, i);
    if (at.phase == Phase::exchange_after) return !lost(at.round, 3 + at.exchange, i);
    return !lost(at.round, 2, i) && (phases || (!lost(at.round, 0, i) && !lost(at.round, 1, i)));
  }
};

}  // namespace

TEMPLATE_TEST_CASE_SIG(
    "A sealed training has the bits of the ideal one, on any number of threads, with sampling and 30 % dropout", "",
    ((SecureServer S), S), SecureServer::curious, SecureServer::malicious) {
  auto const data = toy_dataset(20, 6);
  Lossy all{{}, true};
  std::vector<ClientId> ids;
  for (std::uint32_t i = 0; i < 40; ++i) {
    all.clients.push_back({3 * i + 1, 4, QueryPool(data)});
    ids.push_back(3 * i + 1);
  }
  auto const ideal_clients = Lossy{all.clients, false};
  auto const check = [&](auto const& learner, auto const& inner) {
    using A = std::remove_cvref_t<decltype(inner)>;
    SecureSum<A, S> secure{.aggregator = inner, .setting = {.dropout = 0.45, .corrupt = 0.0}, .threads = 1};
    if constexpr (S == SecureServer::malicious) secure.identities = Identities::simulated(ids);
    auto const federation =
        make_federation(LinearRanker(5), CascadeModel::perfect(3), learner, secure.prepared_for(30));
    auto one = federation.start(all, {.seed = 3});
    auto three = federation.with_execution(Threads{3}).start(all, {.seed = 3});
    auto ideal = federation.with_aggregator(IdealSum<A>{.aggregator = inner}).start(ideal_clients, {.seed = 3});
    LinearRanker before(5);
    for (int round = 0; round < 3; ++round) {
      one.advance();
      three.advance();
      ideal.advance();
      CHECK_FALSE(one.round().statistics.discarded);
      CHECK(one.round().statistics.reported < 28);
      CHECK(one.round().statistics.reported == ideal.round().statistics.reported);
      CHECK_FALSE(same_bits(one.ranker(), before));
      before = one.ranker();
      CHECK(same_bits(one.ranker(), three.ranker()));
      CHECK(same_bits(one.ranker(), ideal.ranker()));
      CHECK(same_bits(one.server_state(), ideal.server_state()));
    }
  };
  check(Pdgd{}, FedAvg{});
  if constexpr (S == SecureServer::curious) {
    check(Pdgd{}, FedOpt<>{});
    check(EvolutionStrategy<>{}, EsGradient<>{});
  }
}

TEST_CASE("An ideal sum of updates is the average of the messages within half a step") {
  auto const data = toy_dataset(20, 6);
  auto const clients = split_iid(data, {.clients = 20, .interactions = 3});
  auto const plain = make_federation(LinearRanker(5), CascadeModel::perfect(3), Pdgd{}, FedAvg{});
  auto a = plain.start(clients, {.seed = 1});
  auto b = plain.with_aggregator(IdealSum<FedAvg>{}).start(clients, {.seed = 1});
  a.advance();
  b.advance();
  for (std::size_t i = 0; i < 5; ++i)
    CHECK(a.ranker().parameters()[i] == Approx(b.ranker().parameters()[i]).margin(1e-7));
  CHECK(b.round().statistics.reported == 20);
}
