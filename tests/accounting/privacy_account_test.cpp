// The account of a federation's clients: mixed participation, the number of sums that it keeps, its fallback, and that
// it can be saved between two rounds.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <fltr/accounting/privacy_account.hpp>
#include <fltr/accounting/renyi_curve.hpp>
#include <fltr/core/fields.hpp>
#include <fltr/core/random.hpp>

#include "support/catch.hpp"

namespace {

using namespace fltr;

double const infinity = std::numeric_limits<double>::infinity();
BoundsAt const at(1e-5);

PrivacyLoss laplace(double epsilon) {
  PrivacyLoss loss{.epsilon_nominal = epsilon, .epsilon_accounted = epsilon};
  loss.rdp = RenyiCurve::laplace(epsilon).divergences;
  return loss;
}
PrivacyLoss gaussian(double sigma) {
  return {.epsilon_nominal = 1.0, .epsilon_accounted = infinity, .rho = 0.5 / (sigma * sigma)};
}
PrivacyLoss approximate(double epsilon, double delta) { return {.epsilon_accounted = epsilon, .delta = delta}; }

/// Each client with this probability.
ChargedClients sample(std::uint32_t clients, double rate, Stream& stream) {
  ChargedClients out = ChargedClients::none();
  for (std::uint32_t i = 0; i < clients; ++i)
    if (stream.bernoulli(rate)) out.add(i);
  return out;
}

}  // namespace

TEST_CASE("Every client has the sum of the rounds that charged it, whatever the others pay") {
  constexpr std::uint32_t clients = 60;
  PrivacyAccount account(clients);
  std::vector<PrivacySum> expected(clients);
  Stream stream(1);
  for (int round = 0; round < 40; ++round) {
    auto const price = round % 3 == 0 ? gaussian(4.0) : laplace(0.01 * (1 + round % 4));
    auto const charged = round % 7 == 0 ? ChargedClients{} : sample(clients, 0.3, stream);
    account.charge(price, charged);
    std::vector<bool> pays(clients, charged.all());
    charged.for_each([&](std::uint32_t i) { pays[i] = true; });
    for (std::uint32_t i = 0; i < clients; ++i)
      if (pays[i]) expected[i] += PrivacySum::of(price);
  }
  double largest = 0.0;
  for (std::uint32_t i = 0; i < clients; ++i) {
    auto const bound = expected[i].bound(at);
    auto const loss = account.of_client(i, at);
    CHECK(loss.epsilon_accounted == bound.epsilon);
    CHECK(loss.bound == std::string(bound.name));
    CHECK(loss.rho == expected[i].rho);
    largest = std::max(largest, bound.epsilon);
  }
  CHECK(account.largest(at).epsilon_accounted == largest);
  CHECK(account.sums() <= clients);
}

TEST_CASE("With a constant price the account keeps at most one sum per number of rounds, also with a sample") {
  PrivacyAccount account(10'000);
  Stream stream(2);
  for (int round = 0; round < 30; ++round) account.charge(laplace(0.05), sample(10'000, 0.1, stream));
  CHECK(account.sums() > 5);
  CHECK(account.sums() <= 31);
  auto const worst = account.largest(at).epsilon_accounted;
  CHECK(worst < 30 * 0.05);
  CHECK(account.largest_after(laplace(0.05), {}, at).epsilon_accounted > worst);
  CHECK(account.largest(at).epsilon_accounted == worst);  // a question changes nothing
}

TEST_CASE("With too many different sums, 16 bytes per client are kept, and no bound falls below the full one") {
  constexpr std::uint32_t clients = 5000;
  PrivacyAccount account(clients);
  std::vector<PrivacySum> full(clients);
  Stream stream(3);
  for (int round = 0; round < 16; ++round) {
    auto const price = laplace(0.01 + 0.001 * round);  // a different price in every round: 2^16 histories
    auto const charged = sample(clients, 0.5, stream);
    account.charge(price, charged);
    charged.for_each([&](std::uint32_t i) { full[i] += PrivacySum::of(price); });
  }
  CHECK(account.sums() == 0);
  auto const bytes = field_bytes(account);
  CHECK(bytes.size() < 16 * clients + 200);
  double largest = 0.0;
  for (std::uint32_t i = 0; i < clients; i += 7) {
    auto const exact = full[i].bound(at).epsilon;
    CHECK(account.of_client(i, at).epsilon_accounted >= exact * (1 - 1e-12));
    CHECK(account.of_client(i, at).epsilon_accounted <= full[i].epsilon * (1 + 1e-12));
    largest = std::max(largest, exact);
  }
  CHECK(account.largest(at).epsilon_accounted >= largest * (1 - 1e-12));
  // Further rounds and questions work in this form too.
  auto const before = account.largest(at).epsilon_accounted;
  auto const after = account.largest_after(gaussian(1.0), {}, at);
  account.charge(gaussian(1.0), {});
  CHECK(account.largest(at).epsilon_accounted == after.epsilon_accounted);
  CHECK(after.epsilon_accounted > before);
  account.charge(laplace(0.5), {3, 4});
  // ρ of laplace(0.5) is 0.125. The rounds before differ between clients by less than 16 · 0.025²/2 = 0.005.
  for (std::size_t const paid : {std::size_t{3}, std::size_t{4}})
    CHECK(account.of_client(paid, at).rho > account.of_client(5, at).rho + 0.12);
  CHECK(account.consistent(clients));
}

TEST_CASE("With too many different sums, epsilons and deltas of all rounds still add up together") {
  // 2^12 histories of rounds with an (ε, δ) alone: 12 rounds have δ = 12e-6 together, whoever took part.
  constexpr std::uint32_t clients = 6000;
  for (bool const many : {false, true}) {
    PrivacyAccount account(clients);
    Stream stream(5);
    std::vector<double> epsilon(clients);
    for (int round = 0; round < 12; ++round) {
      auto const price = approximate(many ? 0.1 + 1e-4 * (1 << round) : 0.1, 1e-6);
      auto const charged = sample(clients, 0.5, stream);
      account.charge(price, charged);
      charged.for_each([&](std::uint32_t i) { epsilon[i] += price.epsilon_accounted; });
    }
    REQUIRE((account.sums() == 0) == many);
    std::uint32_t const some = 17;
    auto const loss = account.of_client(some, BoundsAt(12.5e-6));
    CHECK(loss.epsilon_accounted == Approx(epsilon[some]));
    CHECK(loss.delta <= 12.5e-6);
    CHECK(loss.delta >= 1e-6);
    // No (ε, δ) holds with a δ below that of the rounds that the client paid for.
    CHECK(account.of_client(some, BoundsAt(1e-7)).epsilon_accounted == infinity);
    CHECK(account.largest(BoundsAt(1e-7)).epsilon_accounted == infinity);
    auto const largest = account.largest(BoundsAt(12.5e-6));
    CHECK(largest.epsilon_accounted == Approx(*std::ranges::max_element(epsilon)));
    CHECK(account.largest_after(approximate(0.1, 1e-6), {}, BoundsAt(12.5e-6)).epsilon_accounted == infinity);
    CHECK(account.largest_after(approximate(0.1, 1e-6), {}, BoundsAt(13.5e-6)).delta == Approx(13e-6));
    // The same holds for rounds that come after the account has changed its form.
    account.charge(approximate(0.1, 1e-6), {});
    account.charge(approximate(0.1, 1e-6), {some});
    CHECK(account.of_client(some, BoundsAt(14.5e-6)).epsilon_accounted == Approx(epsilon[some] + 0.2));
    CHECK(account.largest(BoundsAt(14.5e-6)).epsilon_accounted ==
          Approx(std::max(*std::ranges::max_element(epsilon) + 0.1, epsilon[some] + 0.2)));
    auto const all_rounds = account.largest_after(approximate(0.1, 1e-6), {}, BoundsAt(15.5e-6)).delta;
    CHECK(all_rounds <= 15.5e-6);
    if (many) {
      CHECK(account.of_client(some, BoundsAt(13.5e-6)).epsilon_accounted == infinity);
      CHECK(all_rounds == Approx(15e-6));
    }
  }
}

TEST_CASE("The total after the next round is known before it, and no client's loss is above the total") {
  constexpr std::uint32_t clients = 3000;
  PrivacyAccount account(clients);
  Stream stream(6);
  std::size_t in_sums = 0;
  std::size_t single = 0;
  for (int round = 0; round < 20; ++round) {
    PrivacyLoss price = laplace(0.01 + 1e-7 * (1 << round));
    if (round % 4 == 0) price = {.epsilon_accounted = 0.05 + 1e-7 * (1 << round), .delta = 1e-6, .rho = 0.001};
    double const rate = round < 4 ? 0.01 : 0.5;
    auto const charged = round == 18 ? ChargedClients{} : sample(clients, rate, stream);
    PrivacyAccount next = account;
    next.charge(price, charged);
    for (double const delta : {0.0, 1.5e-6, 4e-6, 1e-5}) {
      BoundsAt const bounds(delta);
      double const asked = account.largest_after(price, charged, bounds).epsilon_accounted;
      double const charge = next.largest(bounds).epsilon_accounted;
      CHECK(asked == charge);  // also in the round in which the account changes its form, to one with larger bounds
    }
    account = std::move(next);
    (account.sums() == 0 ? single : in_sums) += 1;
    for (double const delta : {1.5e-6, 4e-6, 1e-5}) {
      BoundsAt const bounds(delta);
      auto const largest = account.largest(bounds);
      std::size_t above = 0;
      for (std::uint32_t i = 0; i < clients; i += 101) {
        auto const one = account.of_client(i, bounds);
        if (one.epsilon_accounted > largest.epsilon_accounted) ++above;
        if (one.epsilon_any_stop > largest.epsilon_any_stop * (1.0 + 1e-9)) ++above;
      }
      CHECK(above == 0);
    }
  }
  CHECK(in_sums > 3);
  CHECK(single > 3);
}

TEST_CASE("The loss at any stop counts the largest divergences and the largest delta of any client") {
  for (bool const larger_first : {false, true}) {
    std::uint32_t const pays_more = larger_first ? 0 : 1;
    std::uint32_t const pays_less = 1 - pays_more;
    PrivacyAccount divergences(2);
    divergences.charge(laplace(0.5), {pays_more});
    divergences.charge(laplace(0.1), {pays_less});
    CHECK(divergences.largest(at).epsilon_any_stop == divergences.of_client(pays_more, at).epsilon_any_stop);
    CHECK(divergences.of_client(pays_less, at).epsilon_any_stop < divergences.largest(at).epsilon_any_stop);
    PrivacyAccount deltas(2);  // of one client the deltas are too large for any bound
    deltas.charge(approximate(0.1, 1e-4), {pays_more});
    deltas.charge(approximate(0.1, 1e-7), {pays_less});
    CHECK(deltas.of_client(pays_more, at).epsilon_any_stop == infinity);
    CHECK(deltas.of_client(pays_less, at).epsilon_any_stop < infinity);
    CHECK(deltas.largest(at).epsilon_any_stop == infinity);
  }
}

TEST_CASE("The bytes of an account per client: none if all are alike, few bits if a sample is charged") {
  constexpr std::uint32_t clients = 1'000'000;
  auto const bytes = [](PrivacyAccount const& account) {
    return static_cast<double>(field_bytes(account).size()) - 8.0 * 323 * static_cast<double>(account.sums());
  };
  PrivacyAccount alike(clients);
  for (int round = 0; round < 3; ++round) {
    ChargedClients everybody = ChargedClients::none();  // named one by one
    for (std::uint32_t i = 0; i < clients; ++i) everybody.add(i);
    alike.charge(laplace(0.1), everybody);
  }
  CHECK(alike.sums() == 1);
  CHECK(bytes(alike) < 200);
  PrivacyAccount dropout(clients);
  Stream stream(6);
  for (int round = 0; round < 3; ++round) dropout.charge(laplace(0.1), sample(clients, 0.9, stream));
  CHECK(dropout.sums() == 4);
  CHECK(bytes(dropout) < clients * 2.0 / 8 * 1.05);  // 2 bits
  PrivacyAccount sampled(clients);
  for (int round = 0; round < 3; ++round) sampled.charge(laplace(0.1), sample(clients, 1e-5, stream));
  CHECK(bytes(sampled) < 60 * (512.0 + 40.0));  // about 30 chunks
}

TEST_CASE("An account that was saved and read continues with the same bits") {
  for (bool const many : {false, true}) {
    std::uint32_t const clients = many ? 3000 : 50;
    PrivacyAccount plain(clients);
    PrivacyAccount resumed(clients);
    Stream stream(4);
    for (int round = 0; round < 15; ++round) {
      auto const price = laplace(0.02 + (many ? 0.001 * round : 0.0));
      auto const charged = sample(clients, 0.4, stream);
      plain.charge(price, charged);
      resumed.charge(price, charged);
      PrivacyAccount read;
      auto const bytes = field_bytes(resumed);
      FieldReader reader(bytes);
      reader.read(read);
      reader.expect_end();
      CHECK(read.consistent(clients));
      CHECK_FALSE(read.consistent(clients + 1));
      resumed = std::move(read);
    }
    CHECK(field_bytes(plain) == field_bytes(resumed));
    CHECK((plain.sums() == 0) == many);
    CHECK(plain.largest(at).epsilon_accounted == resumed.largest(at).epsilon_accounted);
  }
}

TEST_CASE("Losses of (epsilon, delta) are added while the sum of delta is small enough") {
  PrivacyAccount account(4);
  for (int round = 0; round < 5; ++round) account.charge(approximate(0.1, 1e-6), {});
  CHECK(account.largest(at).epsilon_accounted == Approx(0.5));
  CHECK(account.largest(at).delta == Approx(5e-6));
  CHECK(account.largest(at).bound == "sum of epsilons");
  account.charge(approximate(0.1, 1e-5), {0, 1});
  CHECK(account.largest(at).epsilon_accounted == infinity);
  CHECK(account.of_client(2, at).epsilon_accounted == Approx(0.5));
  CHECK(account.largest(BoundsAt(1e-4)).epsilon_accounted == Approx(0.6));
}

TEST_CASE("The total rises with every round, and is never above the sum of epsilons") {
  PrivacyAccount account(3);
  double before = 0.0;
  for (int round = 1; round <= 400; ++round) {
    account.charge(laplace(0.1), {});
    double const now = account.largest(at).epsilon_accounted;
    CHECK(now > before);
    CHECK(now <= 0.1 * round * (1 + 1e-12));
    before = now;
  }
  CHECK(before < 20.0);  // Rényi divergences: 18.58 after 1,000 rounds, 100 by the sum
}

TEST_CASE("A loss that is negative, NaN or of another length is refused, and nothing is charged") {
  PrivacyAccount account(2);
  double const nan = std::numeric_limits<double>::quiet_NaN();
  for (auto const& wrong :
       {PrivacyLoss{.epsilon_accounted = -1.0}, PrivacyLoss{.epsilon_accounted = nan},
        PrivacyLoss{.epsilon_accounted = 1.0, .delta = -1e-9}, PrivacyLoss{.rho = nan},
        PrivacyLoss{.epsilon_accounted = 1.0, .rdp = {1.0, 2.0}},
        PrivacyLoss{.epsilon_accounted = 1.0, .rdp = std::vector<double>(renyi_orders.size(), nan)}})
    CHECK_THROWS_AS(account.charge(wrong, {}), std::invalid_argument);
  CHECK(account.largest(at).epsilon_accounted == 0.0);
  CHECK(renyi_epsilon(std::vector<double>{2.0}, std::vector<double>{nan}, 1e-5).value == infinity);
}

TEST_CASE("Assumptions are collected, the first reason is kept, and a reason is stated only for an infinite total") {
  PrivacyAccount account(2);
  PrivacyLoss price = laplace(0.5);
  price.assumption = "assumes A";
  account.charge(price, {});
  price.assumption = "assumes B";
  account.charge(price, {});
  account.charge(price, {});
  CHECK(account.largest(at).assumption == "assumes A; assumes B");
  account.charge({.epsilon_accounted = infinity, .reason = "first"}, {1});
  account.charge({.epsilon_accounted = infinity, .reason = "second"}, {1});
  CHECK(account.largest(at).reason == "first");
  CHECK(account.largest(at).bound.empty());
  CHECK(account.of_client(0, at).reason.empty());
}
