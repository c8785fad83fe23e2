#include <fltr/federation/client_work.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <fltr/aggregators/fed_avg.hpp>
#include <fltr/click_models/cascade_model.hpp>
#include <fltr/click_models/no_clicks.hpp>
#include <fltr/data/normalize.hpp>
#include <fltr/federation/make_federation.hpp>
#include <fltr/learners/evolution_strategy.hpp>
#include <fltr/learners/pdgd.hpp>
#include <fltr/privatizers/chain.hpp>
#include <fltr/privatizers/clip.hpp>
#include <fltr/privatizers/gamma_noise.hpp>
#include <fltr/privatizers/laplace_noise.hpp>
#include <fltr/privatizers/no_privacy.hpp>
#include <fltr/rankers/linear_ranker.hpp>

#include "support/after_destruction.hpp"
#include "support/catch.hpp"
#include "support/client_limits.hpp"
#include "support/left_on_stack.hpp"
#include "support/toy_dataset.hpp"

namespace {

using namespace fltr;
using Catch::Contains;
using fltr::testing::contains;
using fltr::testing::left_on_stack;
using fltr::testing::toy_dataset;

double const infinity = std::numeric_limits<double>::infinity();

/// Sends the client's secret number in each value. Counts its calls, and fails if it is told to.
struct SendsSecret {
  using Message = LocalWeights;
  static constexpr bool shows_lists = false;
  float secret = 0.4F;
  int* calls = nullptr;
  bool fails = false;

  LocalWeights learn(auto const& ranker, auto const& client, auto&) const {
    if (calls != nullptr) ++*calls;
    if (fails) throw std::runtime_error("no data");
    return {std::vector<float>(ranker.parameters().size(), secret), client.interactions};
  }
};
struct SendsZeros : SendsSecret {};

struct Gathers {
  void aggregate(std::span<ClientMessage<LocalWeights> const>, auto&) const {}
};
struct Fails : LaplaceNoise {
  LocalWeights privatize(LocalWeights, PrivacyContext const&) const { throw std::runtime_error("no noise"); }
  auto members(auto&& visit) const { return visit(static_cast<LaplaceNoise const&>(*this)); }
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
/// Tells something that no noise covers.
struct Named : LocalWeights {
  static std::string discloses(auto const&) { return "the message names the user"; }
  auto fields(auto&& visit) { return LocalWeights::fields(visit); }
};
struct SendsNamed {
  using Message = Named;
  Named learn(auto const& ranker, auto const& of, auto&) const {
    Named out;
    out.values.resize(ranker.parameters().size());
    out.interactions = of.interactions;
    return out;
  }
};

LinearRanker const one_weight(1);
Client const client{0, 4, QueryPool()};

/// A client that trusts the server to keep only sums of all hundred messages, of equal weights.
ClientLimits const hundred{.most_participants = 100,
                           .fewest_reports = 100,
                           .most_interactions = 4,
                           .fewest_interactions = 4,
                           .view = ServerView::assumed_sum,
                           .epsilon_budget = 1000.0};

template <class P, class L = SendsSecret>
LocalWeights message(P const& privatizer, RoundInfo const& round, ClientKey& key, ClientAccount& account,
                     L const& learner = {}, Client const& of = client) {
  NoState state;
  return client_message(learner, NoClicks{}, privatizer, one_weight, of, round, state, key, account);
}

}  // namespace

TEST_CASE("A real client's message leaves neither its key nor the client's secret on the stack") {
  auto const data = toy_dataset();
  Key256 const secret{0x12345678U, 0x23456789U, 0x3456789AU, 0x456789ABU,
                      0x56789ABCU, 0x6789ABCDU, 0x789ABCDEU, 0x89ABCDEFU};
  auto const block = chacha20_block(secret, {});
  Key256 next{};     // the client's secret afterwards
  Key256 message{};  // the key of the message
  for (std::size_t i = 0; i < next.size(); ++i) {
    next[i] = block[i];
    message[i] = block[next.size() + i];
  }
  auto const key = std::make_unique<ClientKey>(ClientKey::repeatable(secret));  // not on the stack
  LinearRanker const global(5);
  NoState state;
  auto const check = [&](auto const& learner, auto const& privatizer) {
    *key = ClientKey::repeatable(secret);
    auto account = fltr::testing::generous_account();
    auto const left = left_on_stack([&] {
      static_cast<void>(client_message(learner, CascadeModel::informational(3), privatizer, global,
                                       Client{0, 3, QueryPool(data)}, RoundInfo{1, 1, 10}, state, *key, account));
    });
    for (Key256 const& one : {secret, next, message}) CHECK_FALSE(contains(left, one));
  };
  check(Pdgd{}, NoPrivacy{});
  check(Pdgd{}, LaplaceNoise{});
  check(Pdgd{}, Chain(Clip{}, LaplaceNoise{}));
  check(EvolutionStrategy<>{}, NoPrivacy{});

  // The search finds what is there.
  auto const found = left_on_stack([&] {
    Key256 copy = secret;
    asm volatile("" : : "r"(&copy) : "memory");
  });
  CHECK(contains(found, secret));
}

TEST_CASE("A round that is asked again gets no second message, so that nobody can average the noise away") {
  auto key = ClientKey::from_system();
  ClientAccount account({.most_participants = 3, .most_interactions = 4, .epsilon_budget = infinity});
  LaplaceNoise const noise{.epsilon = 0.1};
  int calls = 0;
  int messages = 0;
  for (int asked = 0; asked < 20'000; ++asked) try {
      static_cast<void>(message(noise, {.number = 1, .participants = 3}, key, account, SendsSecret{.calls = &calls}));
      ++messages;
    } catch (RoundRefused const&) {
    }
  CHECK(messages == 1);
  CHECK(calls == 1);  // nothing is learned or shown for a round that is refused
  CHECK(account.privacy().epsilon_accounted == Approx(0.1));
  // Nor under another name: an earlier round, another seed, a replay. A new attempt is a new message, which is paid for.
  CHECK_THROWS_AS(message(noise, {.seed = 2, .number = 1, .participants = 3}, key, account), RoundRefused);
  CHECK_THROWS_AS(message(noise, {.number = 1, .participants = 3, .replay = true}, key, account), RoundRefused);
  static_cast<void>(message(noise, {.number = 1, .participants = 3, .attempt = 1}, key, account));
  static_cast<void>(message(noise, {.number = 1, .participants = 3, .run = 1}, key, account));
  CHECK_THROWS_AS(message(noise, {.number = 2, .participants = 3}, key, account), RoundRefused);
  CHECK(account.privacy().epsilon_nominal == Approx(0.3));
}

TEST_CASE("The number of participants, which divides the noise, is not the server's alone") {
  GammaNoise const noise{.epsilon = 0.1, .sensitivity = 1.0};
  auto key = ClientKey::repeatable(Key256{1, 2, 3});
  ClientAccount account(hundred);
  std::uint32_t number = 0;
  for (std::uint64_t const participants : {std::uint64_t{101}, std::uint64_t{1'000'000'000}})
    CHECK_THROWS_AS(message(noise, {.number = ++number, .participants = participants}, key, account), RoundRefused);
  CHECK_THROWS_AS(message(noise, {.number = ++number, .participants = 99}, key, account), RoundRefused);
  CHECK(account.privacy().epsilon_accounted == 0.0);
  CHECK(account.last_message() == RoundId{});
  // A refused round does not use the key: the first message has the first noise.
  auto same = ClientKey::repeatable(Key256{1, 2, 3});
  ClientAccount other(hundred);
  RoundInfo const good{.number = ++number, .participants = 100};
  CHECK(message(noise, good, key, account).values == message(noise, good, same, other).values);
}

TEST_CASE("A message costs what the worst round within the client's limits costs, as in a Training") {
  // A hundred clients are asked, and at least eighty report.
  std::vector<Client> clients;
  for (ClientId id = 0; id < 100; ++id) clients.push_back({id, 4, QueryPool()});
  ClientLimits eighty = hundred;
  eighty.fewest_reports = 80;
  auto const check = [&](auto const& privatizer, ClientLimits const& limits, auto const& aggregator) {
    auto const training = make_federation(one_weight, NoClicks{}, SendsZeros{}, aggregator, privatizer)
                              .start(clients, {.minimum_reports = limits.fewest_reports});
    auto const worst = training.worst_total().value();
    ClientLimits open = limits;
    open.epsilon_budget = infinity;
    auto key = ClientKey::from_system();
    ClientAccount account(open);
    static_cast<void>(message(privatizer, {.participants = 100}, key, account));
    CHECK(account.privacy().epsilon_accounted == worst.epsilon_accounted);
    CHECK(account.privacy().assumption == worst.assumption);
    CHECK(account.privacy().reason == worst.reason);
    return worst.epsilon_accounted;
  };
  GammaNoise const gamma{.epsilon = 0.5};
  double const all = check(gamma, hundred, FedAvg{});
  CHECK(check(gamma, eighty, FedAvg{}) > all);
  CHECK(all < infinity);
  CHECK(check(LaplaceNoise{.epsilon = 0.5}, eighty, FedAvg{}) == 0.5);
  ClientLimits visible = hundred;
  visible.view = ServerView::messages;  // the default: what a client sends, the server sees
  CHECK(check(gamma, visible, Gathers{}) == infinity);
  CHECK(check(LaplaceNoise{.epsilon = 0.5}, visible, Gathers{}) == 0.5);
  ClientLimits unequal = hundred;
  unequal.fewest_interactions = 1;  // weights of 1 to 4
  auto key = ClientKey::from_system();
  ClientAccount account(unequal);
  CHECK_THROWS_WITH(message(gamma, {.participants = 100}, key, account), Contains("different weights"));
}

TEST_CASE("A message is charged before it is made: also if the client fails afterwards") {
  auto key = ClientKey::from_system();
  ClientAccount account(hundred);
  Fails noise;
  noise.epsilon = 0.25;
  CHECK_THROWS_AS(message(noise, {.participants = 100}, key, account), std::runtime_error);
  CHECK(account.privacy().epsilon_accounted == 0.25);
  CHECK_THROWS_AS(message(LaplaceNoise{.epsilon = 0.25}, {.number = 2, .participants = 100}, key, account,
                          SendsSecret{.fails = true}),
                  std::runtime_error);
  CHECK(account.privacy().epsilon_nominal == 0.5);
  CHECK(account.last_message() == RoundId{0, 2, 0});
}

TEST_CASE("The last message of a budget is the last one, whatever the server asks") {
  ClientLimits limits = hundred;
  limits.epsilon_budget = 1.0;
  limits.delta = 0.0;
  auto key = ClientKey::from_system();
  ClientAccount account(limits);
  std::uint32_t messages = 0;
  for (std::uint32_t number = 1; number <= 100; ++number) try {
      static_cast<void>(message(LaplaceNoise{.epsilon = 0.25}, {.number = number, .participants = 100}, key, account));
      ++messages;
    } catch (RoundRefused const&) {
    }
  CHECK(messages == 4);
  CHECK(account.privacy().epsilon_accounted == 1.0);
}

TEST_CASE("What a message tells outside of its values is no bound for a client either") {
  auto key = ClientKey::from_system();
  ClientAccount account(hundred);
  NoState state;
  CHECK_THROWS_WITH(client_message(SendsNamed{}, NoClicks{}, LaplaceNoise{}, one_weight, client,
                                   RoundInfo{.participants = 100}, state, key, account),
                    Contains("inf") && Contains("the message names the user"));
  CHECK(account.last_message() == RoundId{});
}

TEST_CASE("The release that a client pays for is the worst one of a Training with the same rules, in every fact") {
  std::vector<Client> clients;
  for (ClientId id = 0; id < 100; ++id) clients.push_back({id, 4, QueryPool()});
  for (std::uint64_t const fewest : {1U, 80U, 100U}) {
    ClientLimits limits = hundred;
    limits.fewest_reports = fewest;
    WritesReleases::seen.clear();
    auto const training = make_federation(one_weight, NoClicks{}, SendsZeros{}, FedAvg{}, WritesReleases{})
                              .start(clients, {.minimum_reports = fewest});
    CHECK(training.worst_loss()->epsilon_accounted == 0.1);
    auto key = ClientKey::from_system();
    ClientAccount account(limits);
    static_cast<void>(message(WritesReleases{}, {.participants = 100}, key, account));
    REQUIRE(WritesReleases::seen.size() >= 2);
    for (auto const& release : WritesReleases::seen) CHECK(release == WritesReleases::seen.front());
    CHECK(WritesReleases::seen.back().rejected == 100 - fewest);
  }
}

TEST_CASE("A client whose features were scaled with documents of others refuses, unless it has no budget") {
  auto const scaled = normalize_zscore(toy_dataset());
  auto const by_query = normalize_per_query(toy_dataset());
  auto key = ClientKey::from_system();
  ClientAccount account(hundred);
  LaplaceNoise const noise{.epsilon = 0.25};
  CHECK_THROWS_WITH(message(noise, {.participants = 100}, key, account, SendsSecret{}, {0, 4, QueryPool(scaled)}),
                    Contains("inf") && Contains("scaled by documents of several clients"));
  CHECK(account.last_message() == RoundId{});
  static_cast<void>(message(noise, {.participants = 100}, key, account, SendsSecret{}, {0, 4, QueryPool(by_query)}));
  CHECK(account.privacy().epsilon_accounted == 0.25);
}
