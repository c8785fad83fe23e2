#include <fltr/federation/sealed_client.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <fltr/aggregators/fixed_point.hpp>
#include <fltr/click_models/no_clicks.hpp>
#include <fltr/federation/make_federation.hpp>
#include <fltr/privatizers/distributed_gaussian.hpp>
#include <fltr/privatizers/gamma_noise.hpp>
#include <fltr/rankers/linear_ranker.hpp>

#include "frame/masked_sum.hpp"
#include "support/catch.hpp"

namespace {

using namespace fltr;
using Catch::Contains;
using fltr::testing::MaskedSum;

double const infinity = std::numeric_limits<double>::infinity();

/// A seal with the grid of the noise, of which a server may open parts if it is told so.
struct OnGrid : MaskedSum {
  bool splits = false;
  bool clamps = false;

  [[nodiscard]] FixedPoint sum_grid() const { return {.step = 0x1p-12, .clamp = clamps}; }
  [[nodiscard]] std::string partial_sums(std::uint64_t) const { return splits ? "the server can split the sum" : ""; }
};
struct SendsZeros {
  using Message = LocalWeights;
  static constexpr bool shows_lists = false;
  LocalWeights learn(auto const& ranker, auto const& client, auto&) const {
    return {std::vector<float>(ranker.parameters().size()), client.interactions};
  }
};

/// Writes down the releases for which its loss is asked.
struct WritesReleases {
  static constexpr bool draws_noise = false;
  static inline std::vector<RoundRelease> seen{};

  LocalWeights privatize(LocalWeights message, PrivacyContext const&) const { return message; }
  PrivacyLoss loss(RoundRelease const& release) const {
    seen.push_back(release);
    return {.epsilon_nominal = 0.1, .epsilon_accounted = 0.1};
  }
};

/// The same, with a sum that is not linear.
struct NotLinear : OnGrid {
  struct Sum : OnGrid::Sum {
    static constexpr bool linear = false;
  };
  [[nodiscard]] Sum sum(auto const&) const { return {}; }
};

std::vector<ClientId> const asked{0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
std::vector<float> const broadcast(4);
LinearRanker const ranker(4);
Client const client{3, 4, QueryPool()};

ClientLimits const limits{.most_participants = 10,
                          .fewest_reports = 6,
                          .most_interactions = 4,
                          .fewest_interactions = 4,
                          .epsilon_budget = infinity};

SealContext context(RoundId const& id = {0, 1, 0}, std::uint64_t minimum_reports = 6) {
  return {{id.round, asked, broadcast, minimum_reports, id.run, id.attempt}, 3, 4, Streams{1}};
}

}  // namespace

static_assert(!std::copy_constructible<SealedClient<MaskedSum>>,
              "two copies would mask two messages with the same keys");

TEST_CASE("A client takes part in each run, round and attempt at most once, and goes only forward") {
  ClientAccount account(limits);
  auto const joins = [&](RoundId const& id) {
    SealedClient<MaskedSum> const sealed({}, context(id), account);
    CHECK(sealed.id() == id);
  };
  joins({0, 1, 0});
  CHECK_THROWS_AS(joins({0, 1, 0}), RoundRefused);  // a second part would reveal both secrets of the first
  joins({0, 1, 1});                                 // a retry
  CHECK_THROWS_AS(joins({0, 1, 0}), RoundRefused);
  joins({0, 2, 0});
  CHECK_THROWS_AS(joins({0, 1, 2}), RoundRefused);
  joins({1, 1, 0});
  CHECK_THROWS_AS(joins({0, 3, 0}), RoundRefused);
  // Also after the client started again.
  ClientAccount again(limits);
  restore(again, field_bytes(account));
  CHECK_THROWS_AS(SealedClient<MaskedSum>({}, context({1, 1, 0}), again), RoundRefused);
}

TEST_CASE("A client joins no sealed round outside of its limits") {
  ClientAccount account(limits);
  CHECK_THROWS_WITH(SealedClient<MaskedSum>({}, context({0, 1, 0}, 5), account),
                    "ClientAccount: required a sum of at least 6 messages, got 5");
  std::vector<ClientId> const many{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
  SealContext large = context();
  large.round.asked = many;
  CHECK_THROWS_WITH(SealedClient<MaskedSum>({}, large, account),
                    "ClientAccount: required a round of at most 10 participants, got 11");
  SealContext busy = context();
  busy.interactions = 5;
  CHECK_THROWS_AS(SealedClient<MaskedSum>({}, busy, account), RoundRefused);
  SealContext twice = context();
  std::vector<ClientId> const with_copy{0, 1, 2, 3, 4, 5, 8, 7, 8, 9};
  twice.round.asked = with_copy;
  CHECK_THROWS_WITH(SealedClient<MaskedSum>({}, twice, account),
                    "SealedClient: required different ids of clients, got twice the id 8");
  SealContext without = context();
  without.client = 10;
  CHECK_THROWS_WITH(SealedClient<MaskedSum>({}, without, account),
                    "SealedClient: required a round that asks the client 10, got one without it");
  CHECK(account.last_seal() == RoundId{});
  CHECK_NOTHROW(SealedClient<MaskedSum>({}, context(), account));
}

TEST_CASE("The message of a sealed round costs what the smallest sum costs that the seal allows") {
  DistributedGaussian const noise{.sigma = 1.0, .fewest_reports = 6, .colluding = 1, .step = 0x1p-12};
  std::vector<Client> clients;
  for (ClientId const id : asked) clients.push_back({id, 4, QueryPool()});
  auto const price = [&](OnGrid const& seal, std::uint64_t minimum_reports) {
    auto key = ClientKey::from_system();
    ClientAccount account(limits);
    SealedClient<OnGrid> const sealed(seal, context({2, 5, 1}, minimum_reports), account);
    NoState state;
    auto const message = client_message(SendsZeros{}, NoClicks{}, noise, ranker, client, sealed, state, key, account);
    CHECK(message.values != broadcast);
    CHECK(account.last_message() == RoundId{2, 5, 1});
    // A second message of the round is refused, sealed or not.
    CHECK_THROWS_AS(client_message(SendsZeros{}, NoClicks{}, noise, ranker, client, sealed, state, key, account),
                    RoundRefused);
    // The same as in a Training with these rules.
    auto const training = make_federation(ranker, NoClicks{}, SendsZeros{}, seal, noise)
                              .start(clients, {.minimum_reports = minimum_reports});
    CHECK(account.privacy().rho == training.worst_total()->rho);
    return account.privacy();
  };
  double const of_six = price({}, 6).rho;
  CHECK(of_six == noise.round_rho(5, 4));
  CHECK(price({}, 8).rho == noise.round_rho(7, 4));
  OnGrid splits;
  splits.splits = true;
  CHECK(price(splits, 6).rho == noise.round_rho(1, 4));  // every message counts alone

  // Without a seal, too: the limits say that the server sees messages.
  auto key = ClientKey::from_system();
  ClientAccount account(limits);
  NoState state;
  static_cast<void>(client_message(SendsZeros{}, NoClicks{}, noise, ranker, client, RoundInfo{.participants = 10},
                                   state, key, account));
  CHECK(account.privacy().rho == noise.round_rho(1, 4));
}

TEST_CASE("A sealed message beyond the budget is not made") {
  DistributedGaussian const noise{.sigma = 1.0, .fewest_reports = 6, .colluding = 1, .step = 0x1p-12};
  ClientLimits small = limits;
  small.epsilon_budget = 2.0;
  ClientAccount account(small);
  auto key = ClientKey::from_system();
  NoState state;
  std::uint32_t messages = 0;
  for (std::uint32_t round = 1; round <= 50; ++round) {
    SealedClient<OnGrid> const sealed({}, context({0, round, 0}), account);
    try {
      static_cast<void>(client_message(SendsZeros{}, NoClicks{}, noise, ranker, client, sealed, state, key, account));
      ++messages;
    } catch (RoundRefused const&) {
    }
  }
  CHECK(messages > 0);
  CHECK(messages < 50);
  CHECK(account.privacy().epsilon_accounted <= 2.0);
  // GammaNoise of messages that the server may take apart has no bound at all, and the refusal says why.
  OnGrid splits;
  splits.splits = true;
  SealedClient<OnGrid> const sealed(splits, context({0, 51, 0}), account);
  CHECK_THROWS_WITH(client_message(SendsZeros{}, NoClicks{}, GammaNoise{}, ranker, client, sealed, state, key, account),
                    Contains("inf") && Contains("the server can split the sum"));
}

TEST_CASE(
    "The release that a sealed client pays for is the worst one of a Training with the same seal, in every fact") {
  std::vector<Client> clients;
  for (ClientId const id : asked) clients.push_back({id, 4, QueryPool()});
  for (bool const splits : {false, true})
    for (bool const clamps : {false, true})
      for (std::uint64_t const minimum_reports : {6U, 8U, 10U}) {
        OnGrid seal;
        seal.splits = splits;
        seal.clamps = clamps;
        WritesReleases::seen.clear();
        auto const training = make_federation(ranker, NoClicks{}, SendsZeros{}, seal, WritesReleases{})
                                  .start(clients, {.minimum_reports = minimum_reports});
        CHECK(training.worst_loss()->epsilon_accounted == 0.1);
        auto key = ClientKey::from_system();
        ClientAccount account(limits);
        SealedClient<OnGrid> const sealed(seal, context({0, 1, 0}, minimum_reports), account);
        NoState state;
        static_cast<void>(
            client_message(SendsZeros{}, NoClicks{}, WritesReleases{}, ranker, client, sealed, state, key, account));
        REQUIRE(WritesReleases::seen.size() >= 2);
        for (auto const& release : WritesReleases::seen) CHECK(release == WritesReleases::seen.front());
        CHECK(WritesReleases::seen.back().sum_clamps == clamps);
        CHECK(WritesReleases::seen.back().rejected == asked.size() - minimum_reports);
      }
}

TEST_CASE("A sealed client that was moved from answers nothing, and its successor goes on") {
  ClientAccount account(limits);
  SealedClient<MaskedSum> first({}, context(), account);
  auto const phase = first.phase();
  SealedClient<MaskedSum> second(std::move(first));
  CHECK(second.phase() == phase);
  CHECK(second.id() == RoundId{0, 1, 0});
  // NOLINTNEXTLINE(bugprone-use-after-move)
  CHECK_THROWS_AS(first.answer({}), std::invalid_argument);
  CHECK_THROWS_AS(first.seal(LocalWeights{broadcast, 4}, {}), std::invalid_argument);
}

TEST_CASE("A client refuses to seal a message of other interactions than the server was told of") {
  DistributedGaussian const noise{.sigma = 1.0, .fewest_reports = 6, .colluding = 1, .step = 0x1p-12};
  ClientAccount account(limits);
  auto key = ClientKey::from_system();
  NoState state;
  SealedClient<OnGrid> const sealed({}, context(), account);
  Client const other{3, 3, QueryPool()};
  CHECK_THROWS_WITH(client_message(SendsZeros{}, NoClicks{}, noise, ranker, other, sealed, state, key, account),
                    Contains("interactions of the SealContext"));
  CHECK(account.last_message() == RoundId{});
}

TEST_CASE("A sealed client pays for noise that a sum changes because it is not linear") {
  auto key = ClientKey::from_system();
  NoState state;
  ClientAccount account(limits);
  SealedClient<OnGrid> const linear({}, context({0, 1, 0}, 10), account);
  static_cast<void>(
      client_message(SendsZeros{}, NoClicks{}, WritesReleases{}, ranker, client, linear, state, key, account));
  CHECK_FALSE(WritesReleases::seen.back().altered);
  SealedClient<NotLinear> const altered({}, context({0, 2, 0}, 10), account);
  static_cast<void>(
      client_message(SendsZeros{}, NoClicks{}, WritesReleases{}, ranker, client, altered, state, key, account));
  CHECK(WritesReleases::seen.back().altered);
}
