// Audits with the public functions of fltr/accounting/audit.hpp: mechanisms and whole federations are never above what
// the ledger states, and mechanisms that are broken on purpose are flagged. Audits have power only for an epsilon of at
// most 2 and for few coordinates, so these cases have epsilon 0.5 to 1.5 and 1 or 2 coordinates.

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fltr/accounting/audit.hpp>
#include <fltr/aggregators/fed_avg.hpp>
#include <fltr/click_models/no_clicks.hpp>
#include <fltr/federation/make_federation.hpp>
#include <fltr/messages/local_weights.hpp>
#include <fltr/privatizers/gamma_noise.hpp>
#include <fltr/privatizers/gaussian_noise.hpp>
#include <fltr/privatizers/laplace_noise.hpp>
#include <fltr/rankers/linear_ranker.hpp>

#include "support/catch.hpp"

namespace {

using namespace fltr;

AuditOptions const options{.draws = 100'000, .selection = 50'000, .significance = 0.05};

std::vector<double> numbers(LocalWeights const& message) {
  std::vector<double> out{static_cast<double>(message.interactions)};
  for (float const v : message.values) out.push_back(static_cast<double>(v));
  return out;
}

std::array<LocalWeights, 2> messages(std::vector<float> a, std::vector<float> b) {
  return {LocalWeights{std::move(a), 4}, LocalWeights{std::move(b), 0}};
}

// ---- mechanisms that are broken on purpose

/// The first value without noise.
struct OneBareValue : LaplaceNoise {
  auto members(auto&& visit) const { return visit(static_cast<LaplaceNoise const&>(*this)); }
  LocalWeights privatize(LocalWeights m, PrivacyContext const& c) const {
    float const bare = m.values[0];
    m = LaplaceNoise::privatize(std::move(m), c);
    m.values[0] = bare;
    return m;
  }
};
/// The same noise for both values: the second one is what the difference of the values reveals.
struct SeedTwice : LaplaceNoise {
  auto members(auto&& visit) const { return visit(static_cast<LaplaceNoise const&>(*this)); }
  LocalWeights privatize(LocalWeights m, PrivacyContext const& c) const {
    auto const first = LaplaceNoise::privatize(LocalWeights{{m.values[0]}, 4}, c).values[0];
    auto const second = LaplaceNoise::privatize(LocalWeights{{m.values[1]}, 4}, c).values[0];
    return {{first, first - second}, c.interactions};
  }
};

// ---- federations

/// Client 0 sends the secret, the others send zeros.
struct SendsSecret {
  using Message = LocalWeights;
  static constexpr bool shows_lists = false;
  float secret = 0.0F;
  LocalWeights learn(auto const& ranker, auto const& client, auto&) const {
    return {std::vector<float>(ranker.parameters().size(), client.id == 0 ? secret : 0.0F), client.interactions};
  }
};

/// Of ten clients the first `reporting` answer. Client 0 has other interactions than the rest.
struct TenClients {
  std::uint32_t reporting = 10;
  std::uint32_t first = 1;
  [[nodiscard]] std::size_t size() const { return 10; }
  Client operator[](std::size_t i) const { return {static_cast<ClientId>(i), i == 0 ? first : 1, QueryPool()}; }
  bool reports(RoundPhase const&, std::size_t i, Stream&) const { return i < reporting; }
};

/// FedAvg that keeps the weighted sum of every round.
struct ObservedSums {
  struct State {
    std::vector<double> seen;
    auto fields(auto&& visit) { return visit(seen); }
  };
  using Sum = WeightSum;
  [[nodiscard]] Sum sum(auto const& ranker) const { return weight_sum_for(ranker); }
  void aggregate(Sum const& total, auto& ranker, State& state) const {
    for (double const v : total.values) state.seen.push_back(v);
    FedAvg{}.aggregate(total, ranker);
  }
};

struct Audited {
  double proven = 0.0;
  PrivacyLoss stated{};
};

template <class P>
Audited audited(P const& privatizer, TenClients clients, float secret, std::uint32_t rounds, RunOptions run,
                std::uint64_t draws = 60'000) {
  Audited out;
  AuditOptions how{.draws = draws, .selection = draws / 3, .significance = 0.05};
  auto const start = [&](std::size_t which, std::uint64_t seed) {
    run.seed = seed;
    return make_federation(LinearRanker(1), NoClicks{}, SendsSecret{which == 0 ? secret : -secret}, ObservedSums{},
                           privatizer)
        .start(clients, run);
  };
  auto first = start(0, 1);
  first.run(rounds);
  out.stated = first.round().privacy.value();
  how.delta = out.stated.delta;
  out.proven = audit_federation(start, rounds, [](auto const& t) { return t.server_state().seen; }, how).epsilon;
  return out;
}

}  // namespace

TEST_CASE("Audit of Laplace noise on weights and on updates: at most epsilon, and at least 0.95 of it") {
  std::vector<float> const broadcast{3.0F};
  PrivacyContext const context{.participants = 1, .interactions = 4, .broadcast = broadcast};
  LaplaceNoise const weights{.epsilon = 1.0, .sensitivity = 1.0};
  auto const plain = audit_privatizer(weights, messages({0.5F}, {-0.5F}), context, numbers, options);
  INFO("weights: proven " << plain.epsilon << " by " << plain.event);
  CHECK(plain.epsilon <= 1.0);
  CHECK(plain.epsilon >= 0.95);
  LaplaceNoise const update{.epsilon = 1.0, .sensitivity = 1.0, .of = ClipOf::update};
  auto const moved = audit_privatizer(update, messages({9.0F}, {-9.0F}), context, numbers, options, 2);
  INFO("update: proven " << moved.epsilon << " by " << moved.event);
  CHECK(moved.epsilon <= 1.0);
  CHECK(moved.epsilon >= 0.95);
}

TEST_CASE("Audit of Gaussian noise on updates: at most epsilon at delta") {
  std::vector<float> const broadcast{3.0F, -1.0F};
  PrivacyContext const context{.participants = 1, .interactions = 4, .broadcast = broadcast};
  GaussianNoise const update{.epsilon = 1.0, .delta = 1e-5, .sensitivity = 1.0, .of = ClipOf::update};
  AuditOptions with_delta = options;
  with_delta.delta = 1e-5;
  auto const result = audit_privatizer(update, messages({9.0F, 9.0F}, {-9.0F, -9.0F}), context, numbers, with_delta);
  INFO("proven " << result.epsilon << " by " << result.event);
  CHECK(result.epsilon <= 1.0);
  CHECK(result.epsilon >= 0.4);
}

TEST_CASE("The three broken mechanisms are flagged") {
  LaplaceNoise const right{.epsilon = 1.0, .sensitivity = 1.0};
  PrivacyContext const context{.participants = 1, .interactions = 4};
  // Half the noise that an epsilon of 1 needs.
  LaplaceNoise const half{.epsilon = 2.0, .sensitivity = 1.0};
  CHECK(audit_privatizer(half, messages({0.5F}, {-0.5F}), context, numbers, options).epsilon > right.epsilon);
  CHECK(
      audit_privatizer(OneBareValue{right}, messages({0.1F, 0.0F}, {-0.1F, 0.0F}), context, numbers, options).epsilon >
      5.0);
  CHECK(audit_privatizer(SeedTwice{right}, messages({0.2F, 0.2F}, {0.2F, -0.2F}), context, numbers, options).epsilon >
        5.0);
}

TEST_CASE(
    "Audit of federations: GammaNoise with complete noise, with 60 % of it, and with the options that restore it") {
  GammaNoise const plain{.epsilon = 0.5, .sensitivity = 1.0, .colluding = 0};
  auto const all = audited(plain, {}, 0.5F, 1, {});
  CHECK(all.stated.epsilon_accounted == 0.5);
  CHECK(all.proven <= 0.5);
  CHECK(all.proven >= 0.4);
  auto const six = audited(plain, {.reporting = 6}, 0.5F, 1, {});
  CHECK(six.stated.epsilon_accounted == Approx(1.771).margin(5e-4));
  CHECK(six.proven <= six.stated.epsilon_accounted);
  CHECK(six.proven > 0.5);  // the old price is flagged

  GammaNoise restored = plain;
  restored.fewest_reports = 6;
  auto const kept = audited(restored, {.reporting = 6}, 0.5F, 1, {.minimum_reports = 6});
  CHECK(kept.stated.epsilon_accounted == 0.5);
  CHECK(kept.proven <= 0.5);
  CHECK(kept.proven >= 0.4);
  auto const more = audited(restored, {.reporting = 10}, 0.5F, 1, {.minimum_reports = 6});
  CHECK(more.stated.epsilon_accounted == 0.5);
  CHECK(more.proven <= 0.5);
}

TEST_CASE("Audit of a federation with different weights: flagged without scaled noise, private with it") {
  GammaNoise const plain{.epsilon = 0.5, .sensitivity = 1.0, .colluding = 0};
  TenClients const heavy{.first = 100};
  auto const without = audited(plain, heavy, 0.5F, 1, {});
  CHECK(without.stated.epsilon_accounted == std::numeric_limits<double>::infinity());
  CHECK(without.proven > 0.5);
  GammaNoise scaled = plain;
  scaled.largest_weight = 100.0;
  auto const with = audited(scaled, heavy, 0.5F, 1, {});
  CHECK(with.stated.epsilon_accounted == 0.5);
  CHECK(with.proven <= 0.5);
  CHECK(with.proven >= 0.4);
}

TEST_CASE("Audit of several rounds: at most the ledger's total at its delta") {
  // Three rounds of epsilon 0.5 prove less than their sum, because one threshold is not the best event of three numbers.
  auto const total =
      audited(LaplaceNoise{.epsilon = 0.5, .sensitivity = 1.0}, {.reporting = 1}, 0.5F, 3, {.delta = 0.0});
  CHECK(total.stated.epsilon_accounted == 1.5);
  CHECK(total.proven <= 1.5);
  CHECK(total.proven > 0.5);  // more than one round
  auto const gaussian = audited(GaussianNoise{.epsilon = 0.5, .delta = 1e-5, .sensitivity = 1.0}, {.reporting = 1},
                                0.5F, 3, {.delta = 1e-5});
  CHECK(gaussian.stated.bound == "Renyi divergence");
  CHECK(gaussian.proven <= gaussian.stated.epsilon_accounted);
  CHECK(gaussian.proven > 0.25);
}

TEST_CASE("An audit proves as much as Clopper-Pearson limits allow, and refuses what has no meaning") {
  CHECK(proven_epsilon(100, 0, 100, 0.05, 0.0) == Approx(3.28).margin(0.01));
  CHECK(proven_epsilon(1000, 0, 1000, 0.05, 0.0) == Approx(5.60).margin(0.01));
  CHECK(proven_epsilon(10'000, 0, 10'000, 0.05, 0.0) == Approx(7.90).margin(0.01));
  CHECK(proven_epsilon(100'000, 0, 100'000, 0.05, 0.0) == Approx(10.21).margin(0.01));
  CHECK(proven_epsilon(1000, 0, 1000, 0.001, 0.0) == Approx(4.88).margin(0.01));
  CHECK(proven_epsilon(500, 500, 1000, 0.05, 0.0) == 0.0);
  CHECK_THROWS_WITH(proven_epsilon(11, 0, 10, 0.05, 0.0), "proven_epsilon: required counts of at most n, got 11");
}
