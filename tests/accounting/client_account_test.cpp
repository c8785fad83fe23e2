#include <fltr/accounting/client_account.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

#include <fltr/accounting/privacy_account.hpp>
#include <fltr/core/fields.hpp>
#include <fltr/core/random.hpp>
#include <fltr/privatizers/gamma_noise.hpp>
#include <fltr/privatizers/laplace_noise.hpp>
#include <fltr/privatizers/no_privacy.hpp>

#include "support/catch.hpp"

namespace {

using namespace fltr;
using Catch::Contains;

double const infinity = std::numeric_limits<double>::infinity();

ClientLimits const limits{.most_participants = 100,
                          .fewest_reports = 80,
                          .most_interactions = 4,
                          .fewest_interactions = 2,
                          .epsilon_budget = 0.3,
                          .delta = 0.0};
/// A round within these limits.
RoundRelease const within{.asked = 90, .reported = 80, .dimension = 5, .interactions = 4, .fewest_interactions = 2};
LaplaceNoise const tenth{.epsilon = 0.1};

/// The bytes of an account before and after a call that must refuse.
template <class Call>
void refuses(ClientAccount& account, Call const& call, std::string const& why) {
  auto const before = field_bytes(account);
  CHECK_THROWS_AS(call(), RoundRefused);
  CHECK_THROWS_WITH(call(), why);
  CHECK(field_bytes(account) == before);
}

}  // namespace

static_assert(!std::is_copy_constructible_v<ClientAccount> && !std::is_copy_assignable_v<ClientAccount>,
              "two copies would spend the budget twice");

TEST_CASE("A client takes part in a round once, and in no round before the last one") {
  // In rising order; every one is refused after itself and after each later one.
  std::vector<RoundId> const rising{{0, 1, 0}, {0, 1, 1}, {0, 2, 0}, {0, 7, 3},
                                    {0, 8, 0}, {1, 1, 0}, {1, 1, 5}, {9, 1, 0}};
  for (bool const seals : {false, true}) {
    ClientAccount account({.most_participants = 100, .most_interactions = 4, .epsilon_budget = infinity});
    auto const take = [&](RoundId const& id) {
      if (seals)
        account.enter_seal(id, within);
      else
        account.charge(id, tenth, within);
    };
    for (std::size_t i = 0; i < rising.size(); ++i) {
      take(rising[i]);
      CHECK((seals ? account.last_seal() : account.last_message()) == rising[i]);
      for (std::size_t earlier = 0; earlier <= i; ++earlier) CHECK_THROWS_AS(take(rising[earlier]), RoundRefused);
    }
    CHECK(account.privacy().epsilon_nominal == Approx(seals ? 0.0 : 0.8));
  }
  ClientAccount account(limits);
  account.charge({3, 5, 1}, tenth, within);
  refuses(
      account, [&] { account.charge({3, 5, 1}, tenth, within); },
      "ClientAccount: required a round after run 3, round 5, attempt 1, got run 3, round 5, attempt 1");
  // A seal and its message are of the same round.
  account.enter_seal({3, 5, 1}, within);
  CHECK_THROWS_AS(account.enter_seal({3, 5, 1}, within), RoundRefused);
}

TEST_CASE("The server's numbers must be within the client's limits") {
  ClientAccount account(limits);
  auto const check = [&](auto const& change, std::string const& why) {
    RoundRelease round = within;
    change(round);
    refuses(account, [&] { account.charge({0, 1, 0}, tenth, round); }, why);
    refuses(account, [&] { account.enter_seal({0, 1, 0}, round); }, why);
  };
  check([](RoundRelease& r) { r.asked = 1'000'000'000; },
        "ClientAccount: required a round of at most 100 participants, got 1000000000");
  check([](RoundRelease& r) { r.asked = 79; }, "ClientAccount: required a round of at least 80 participants, got 79");
  check([](RoundRelease& r) { r.reported = 79; }, "ClientAccount: required a sum of at least 80 messages, got 79");
  check([](RoundRelease& r) { r.interactions = 5; }, "ClientAccount: required 2 to 4 interactions, got 5");
  check([](RoundRelease& r) { r.interactions = 1; }, "ClientAccount: required 2 to 4 interactions, got 1");
  for (std::uint64_t const asked : {80U, 100U}) {
    RoundRelease round = within;
    round.asked = asked;
    CHECK_NOTHROW(account.charge({0, static_cast<std::uint32_t>(asked), 0}, tenth, round));
  }
}

TEST_CASE("A message that could exceed the budget is refused, and the account stays as it was") {
  ClientAccount account(limits);
  for (std::uint32_t round = 1; round <= 3; ++round) account.charge({0, round, 0}, tenth, within);
  CHECK(account.privacy().epsilon_accounted == Approx(0.3));
  CHECK(account.privacy().bound == "sum of epsilons");
  refuses(
      account, [&] { account.charge({0, 4, 0}, tenth, within); },
      "ClientAccount: required an epsilon_budget >= 0.4 for run 0, round 4, attempt 0, got 0.3");
  // With more rounds than the sum of epsilons allows: the bound that holds at every stop counts.
  ClientLimits more = limits;
  more.epsilon_budget = 4.0;
  more.delta = 1e-5;
  ClientAccount many(more);
  PrivacyAccount expected(1);
  BoundsAt const at(1e-5);
  std::uint32_t rounds = 0;
  try {
    for (; rounds < 1000; ++rounds) {
      many.charge({0, rounds + 1, 0}, tenth, within);
      expected.charge(tenth.loss(within), {});
    }
  } catch (RoundRefused const&) {
  }
  CHECK(rounds > 40);  // the sum of epsilons alone would allow 40
  CHECK(rounds < 1000);
  CHECK(field_bytes(many.privacy()) == field_bytes(expected.largest(at)));
  CHECK(many.privacy().epsilon_any_stop <= 4.0);
  expected.charge(tenth.loss(within), {});
  CHECK(expected.largest(at).epsilon_any_stop > 4.0);
}

TEST_CASE("Prices that the server chooses after it has seen messages do not exceed the budget at any stop") {
  ClientLimits some = limits;
  some.epsilon_budget = 3.0;
  some.delta = 1e-5;
  BoundsAt const at(1e-5);
  bool between = false;  // whether the bound for fixed prices would have allowed a message that is refused
  Stream stream(5);
  for (int run = 0; run < 20; ++run) {
    ClientAccount account(some);
    PrivacyAccount spent(1);
    for (std::uint32_t round = 1; round < 2000; ++round) {
      LaplaceNoise const mechanism{.epsilon = 0.01 + 0.3 * stream.uniform()};
      PrivacyAccount after = spent;
      after.charge(mechanism.loss(within), {});
      PrivacyLoss const loss = after.largest(at);
      CHECK(loss.epsilon_accounted <= loss.epsilon_any_stop);
      if (loss.epsilon_any_stop <= 3.0) {
        CHECK_NOTHROW(account.charge({0, round, 0}, mechanism, within));
        spent = after;
      } else {
        CHECK_THROWS_AS(account.charge({0, round, 0}, mechanism, within), RoundRefused);
        between = between || loss.epsilon_accounted <= 3.0;
      }
    }
    CHECK(account.privacy().epsilon_any_stop <= 3.0);
    CHECK(account.privacy().epsilon_any_stop > 2.9);
  }
  CHECK(between);
}

TEST_CASE("A message without a bound needs an infinite budget, and the account then says why it has none") {
  GammaNoise const gamma{.epsilon = 0.1};
  ClientLimits open = limits;
  open.epsilon_budget = infinity;
  auto const check = [&](auto const& privatizer, std::string const& disclosed, std::string const& why) {
    RoundRelease round = within;
    round.view = ServerView::messages;
    ClientAccount account(limits);
    CHECK_THROWS_AS(account.charge({0, 1, 0}, privatizer, round, disclosed), RoundRefused);
    CHECK_THROWS_WITH(account.charge({0, 1, 0}, privatizer, round, disclosed), Contains("inf") && Contains(why));
    CHECK(account.last_message() == RoundId{});
    ClientAccount other(open);
    other.charge({0, 1, 0}, privatizer, round, disclosed);
    CHECK(other.privacy().epsilon_accounted == infinity);
    CHECK_THAT(other.privacy().reason, Contains(why));
  };
  check(NoPrivacy{}, "", "the privatizer states no loss");
  check(gamma, "", "single messages");
  check(tenth, "the message names the user", "the message names the user");
}

TEST_CASE("A stored account is continued, under the limits of its owner") {
  ClientAccount before(limits);
  before.charge({2, 4, 0}, tenth, within);
  before.enter_seal({2, 5, 0}, within);
  auto const bytes = field_bytes(before);

  ClientLimits stricter = limits;
  stricter.epsilon_budget = 0.2;
  ClientAccount after(stricter);
  restore(after, bytes);
  CHECK(field_bytes(after) == bytes);
  CHECK(after.limits().epsilon_budget == 0.2);
  CHECK_THROWS_AS(after.charge({2, 4, 0}, tenth, within), RoundRefused);
  CHECK_THROWS_AS(after.enter_seal({2, 5, 0}, within), RoundRefused);
  after.charge({2, 5, 0}, tenth, within);
  CHECK_THROWS_AS(after.charge({2, 6, 0}, tenth, within), RoundRefused);  // 0.3 > 0.2

  // A restored account takes no charge back.
  CHECK_THROWS_AS(restore(after, bytes), std::invalid_argument);
  CHECK(after.last_message() == RoundId{2, 5, 0});

  // Also if it only sent a message, or only entered a seal.
  ClientAccount sent(limits);
  sent.charge({9, 1, 0}, tenth, within);
  CHECK_THROWS_AS(restore(sent, bytes), std::invalid_argument);
  CHECK(sent.last_message() == RoundId{9, 1, 0});
  ClientAccount entered(limits);
  entered.enter_seal({9, 1, 0}, within);
  CHECK_THROWS_AS(restore(entered, bytes), std::invalid_argument);
  CHECK(entered.last_seal() == RoundId{9, 1, 0});
}

TEST_CASE("Bytes that are no account of one client are refused") {
  ClientAccount before(limits);
  before.charge({2, 4, 0}, tenth, within);
  auto const bytes = field_bytes(before);
  for (std::size_t size = 0; size < bytes.size(); size += 7) {
    ClientAccount account(limits);
    CHECK_THROWS_AS(restore(account, std::span(bytes).first(size)), FormatError);
    CHECK(field_bytes(account) == field_bytes(ClientAccount(limits)));
  }
  auto longer = bytes;
  longer.push_back(std::byte{0});
  ClientAccount account(limits);
  CHECK_THROWS_AS(restore(account, longer), FormatError);
  // Other numbers of clients, and a negative loss. The rounds take 2 · 20 bytes, and the number of clients 8.
  constexpr std::size_t at_clients = 40;
  auto other = bytes;
  REQUIRE(other[at_clients] == std::byte{1});
  other[at_clients] = std::byte{2};
  CHECK_THROWS_AS(restore(account, other), FormatError);
  auto negative = bytes;
  negative[at_clients + 15] |= std::byte{0x80};  // the sign of the nominal epsilon
  CHECK_THROWS_AS(restore(account, negative), FormatError);
  CHECK_NOTHROW(restore(account, bytes));
}

TEST_CASE("An account that was moved from refuses every round") {
  ClientAccount first(limits);
  first.charge({0, 1, 0}, tenth, within);
  ClientAccount second(std::move(first));
  CHECK(second.last_message() == RoundId{0, 1, 0});
  CHECK(second.privacy().epsilon_accounted == Approx(0.1));
  second.charge({0, 2, 0}, tenth, within);
  constexpr auto most = std::numeric_limits<std::uint64_t>::max();
  for (RoundId const& id : {RoundId{0, 2, 0}, RoundId{most, 1, 0}, RoundId{most, 0xFFFFFFFFU, most}}) {
    // NOLINTNEXTLINE(bugprone-use-after-move)
    refuses(
        first, [&] { first.charge(id, tenth, within); },
        "ClientAccount: required an account that was not moved from, got one that was");
    CHECK_THROWS_AS(first.enter_seal(id, within), RoundRefused);
  }
}

TEST_CASE("Limits are complete and do not contradict each other") {
  auto const check = [](auto const& change, std::string const& why) {
    ClientLimits some = limits;
    change(some);
    CHECK_THROWS_WITH(ClientAccount(some), why);
  };
  check([](ClientLimits& l) { l.most_participants = 0; }, "ClientLimits: required most_participants >= 1, got 0");
  check([](ClientLimits& l) { l.fewest_reports = 0; },
        "ClientLimits: required fewest_reports from 1 to most_participants, got 0");
  check([](ClientLimits& l) { l.fewest_reports = 101; },
        "ClientLimits: required fewest_reports from 1 to most_participants, got 101");
  check([](ClientLimits& l) { l.most_interactions = 0; }, "ClientLimits: required most_interactions >= 1, got 0");
  check([](ClientLimits& l) { l.fewest_interactions = 5; },
        "ClientLimits: required fewest_interactions of at most most_interactions, got 5");
  check([](ClientLimits& l) { l.view = ServerView::sealed_sum; },
        "ClientLimits: required a view of messages that are not sealed, got sealed_sum");
  check([](ClientLimits& l) { l.epsilon_budget = -1.0; }, "ClientLimits: required an epsilon_budget >= 0, got -1");
  check([](ClientLimits& l) { l.epsilon_budget = std::numeric_limits<double>::quiet_NaN(); },
        "ClientLimits: required an epsilon_budget >= 0, got nan");
  check([](ClientLimits& l) { l.delta = 1.0; }, "BoundsAt: required a delta in [0, 1), got 1");
  // Without a budget of its own a client sends nothing.
  ClientAccount none({.most_participants = 100, .most_interactions = 4});
  CHECK_THROWS_AS(none.charge({0, 1, 0}, tenth, within), RoundRefused);
}
