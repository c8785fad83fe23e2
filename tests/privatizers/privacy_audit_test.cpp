// Audits of every mechanism that states an epsilon, and of mechanisms that are broken on purpose. An audit runs a
// mechanism on two secrets and compares how often events occur (tests/support/privacy_audit.hpp). It proves a lower
// bound on the mechanism's epsilon, which must not exceed the stated epsilon.
//
// The events for each value y of a message:
// - |y| < 0.05 and y is not a multiple of 2^-25 (a sum of two floats shows the low bits of the secret there)
// - y is not a multiple of 2^-25; y is not a multiple of the step of the grid
// - the integer y / step is even; is a multiple of 3; is a multiple of 16
// - y is 0; y is one of the secrets; y is one of the secrets rounded toward zero to the grid
// - y, or the sum of all values, is above or below a threshold (thresholds: quantiles from 0 to 1)
// - all values are positive; all values are negative
// - the form of the message: interactions, number of values

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <fltr/click_models/cascade_model.hpp>
#include <fltr/federation/client_work.hpp>
#include <fltr/learners/pdgd.hpp>
#include <fltr/messages/evolution_message.hpp>
#include <fltr/messages/local_weights.hpp>
#include <fltr/privatizers/chain.hpp>
#include <fltr/privatizers/clip.hpp>
#include <fltr/privatizers/gamma_noise.hpp>
#include <fltr/privatizers/gaussian_noise.hpp>
#include <fltr/privatizers/laplace_noise.hpp>
#include <fltr/privatizers/randomized_metric.hpp>
#include <fltr/rankers/linear_ranker.hpp>

#include "support/catch.hpp"
#include "support/client_limits.hpp"
#include "support/privacy_audit.hpp"
#include "support/toy_dataset.hpp"

namespace {

using namespace fltr;
using namespace fltr::testing;

constexpr std::uint32_t asked = 4;

/// The messages of the client under the two secrets: with data (interactions > 0) and without (interactions = 0).
struct Secrets {
  std::array<LocalWeights, 2> messages;
  double step;  // of the grid
};

Secrets values(std::vector<float> a, std::vector<float> b, double step) {
  return {{LocalWeights{std::move(a), asked}, LocalWeights{std::move(b), 0}}, step};
}

PrivacyContext context(std::uint64_t trial, std::uint64_t participants = 1, std::uint32_t client = 0) {
  return {participants, asked, {.seed = 7'000'000 + trial, .round = 1, .client = client}};
}

Seen seen(LocalWeights const& message) {
  Seen out{static_cast<double>(message.interactions), static_cast<double>(message.values.size())};
  for (float const v : message.values) out.push_back(static_cast<double>(v));
  return out;
}

bool multiple(double y, double of) { return std::fmod(y, of) == 0.0; }

std::vector<Event> events_for(Secrets const& secrets, std::vector<Seen> const& draws) {
  std::vector<Event> events;
  events.push_back({"interactions > 0", [](Seen const& s) { return s[0] > 0; }});
  events.push_back({"as many values as the first secret",
                    [n = secrets.messages[0].values.size()](Seen const& s) { return s[1] == static_cast<double>(n); }});
  double const step = secrets.step;
  for (std::size_t i = 0; i < secrets.messages[0].values.size(); ++i) {
    std::size_t const at = 2 + i;
    std::string const y = "y" + std::to_string(i);
    auto const add = [&](std::string const& what, auto holds) {
      events.push_back({y + what, [=](Seen const& s) { return holds(s[at]); }});
    };
    add(" near 0 off 2^-25", [](double v) { return std::abs(v) < 0.05 && !multiple(v, 0x1p-25); });
    add(" off 2^-25", [](double v) { return !multiple(v, 0x1p-25); });
    add(" off the grid", [=](double v) { return !multiple(v, step); });
    add(" even", [=](double v) { return multiple(v, 2 * step); });
    add(" multiple of 3", [=](double v) { return multiple(v, 3 * step); });
    add(" multiple of 16", [=](double v) { return multiple(v, 16 * step); });
    add(" is 0", [](double v) { return v == 0.0; });
    for (auto const& secret : secrets.messages) {
      auto const own = static_cast<double>(secret.values[i]);
      double const rounded = std::trunc(own / step) * step;
      add(" is a secret", [=](double v) { return v == own; });
      add(" is a rounded secret", [=](double v) { return v == rounded; });
    }
    add_thresholds(events, y, draws, [=](Seen const& s) { return s[at]; });
  }
  auto const sum = [](Seen const& s) {
    double out = 0.0;
    for (std::size_t i = 2; i < s.size(); ++i) out += s[i];
    return out;
  };
  add_thresholds(events, "sum", draws, sum);
  auto const all = [](Seen const& s, double sign) {
    for (std::size_t i = 2; i < s.size(); ++i)
      if (!(s[i] * sign > 0)) return false;
    return true;
  };
  events.push_back({"all positive", [=](Seen const& s) { return all(s, 1.0); }});
  events.push_back({"all negative", [=](Seen const& s) { return all(s, -1.0); }});
  return events;
}

template <class P>
AuditResult audit_message(P const& mechanism, Secrets const& secrets, AuditOptions const& options = {}) {
  return audit(
      [&](std::size_t secret, std::uint64_t trial) {
        return seen(mechanism.privatize(secrets.messages[secret], context(2 * trial + secret)));
      },
      [&](std::vector<Seen> const& draws) { return events_for(secrets, draws); }, options);
}

/// Audits the sum of all clients' messages: GammaNoise protects only the sum. Client 0 has the secret, the weights of
/// the other clients are zeros.
AuditResult audit_sum(GammaNoise const& mechanism, Secrets const& secrets, std::uint32_t clients,
                      AuditOptions const& options = {}) {
  std::size_t const d = secrets.messages[0].values.size();
  LocalWeights const zeros{std::vector<float>(d), asked};
  return audit(
      [&](std::size_t secret, std::uint64_t trial) {
        Seen sum(2 + d);
        for (std::uint32_t client = 0; client < clients; ++client) {
          auto const& message = client == 0 ? secrets.messages[secret] : zeros;
          auto const one = seen(mechanism.privatize(message, context(2 * trial + secret, clients, client)));
          for (std::size_t i = 0; i < one.size(); ++i) sum[i] += one[i];
        }
        sum[1] /= clients;
        return sum;
      },
      [&](std::vector<Seen> const& draws) { return events_for(secrets, draws); }, options);
}

float const not_a_number = std::numeric_limits<float>::quiet_NaN();

}  // namespace

TEST_CASE("Audit of LaplaceNoise: the proven epsilon is at most epsilon and at least 0.9 of it") {
  for (double const epsilon : {0.1, 1.0, 2.0}) {
    LaplaceNoise const mechanism{.epsilon = epsilon, .sensitivity = 1.0};
    auto const far = audit_message(mechanism, values({0.5F}, {-0.5F}, mechanism.grid().step()));
    INFO("epsilon " << epsilon << ": proven " << far.epsilon << " by " << far.event);
    CHECK(far.epsilon <= epsilon);
    CHECK(far.epsilon >= (epsilon < 0.5 ? 0.9 * epsilon : 0.95 * epsilon));
  }
  for (double const epsilon : {0.1, 1.0}) {
    // Secrets whose low bits a sum of floats would show, and weights that are NaN.
    LaplaceNoise const mechanism{.epsilon = epsilon, .sensitivity = 1.0};
    CHECK(audit_message(mechanism, values({0.0F}, {0.3F}, mechanism.grid().step())).epsilon <= epsilon);
    CHECK(audit_message(mechanism, values({not_a_number}, {0.5F}, mechanism.grid().step())).epsilon <= epsilon);
  }
}

TEST_CASE("Audit of LaplaceNoise with four values") {
  LaplaceNoise const mechanism{.epsilon = 1.0, .sensitivity = 1.0};
  double const step = mechanism.grid().step();
  for (auto const& secrets : {values({0.125F, 0.125F, 0.125F, 0.125F}, {-0.125F, -0.125F, -0.125F, -0.125F}, step),
                              values({0.5F, 0.0F, 0.0F, 0.0F}, {0.0F, -0.5F, 0.0F, 0.0F}, step),
                              values({9.0F, 9.0F, 9.0F, 9.0F}, {0.1F, -0.2F, 0.0F, 0.0F}, step)}) {
    auto const result = audit_message(mechanism, secrets);
    INFO("proven " << result.epsilon << " by " << result.event);
    CHECK(result.epsilon <= 1.0);
    CHECK(result.epsilon > 0.3);
  }
}

TEST_CASE("Audit of GaussianNoise: the proven epsilon at delta is at most epsilon") {
  for (double const epsilon : {0.5, 1.0, 2.0}) {
    GaussianNoise const mechanism{.epsilon = epsilon, .delta = 1e-5, .sensitivity = 1.0};
    auto const one = audit_message(mechanism, values({0.5F}, {-0.5F}, mechanism.grid(1).step()), {.delta = 1e-5});
    INFO("epsilon " << epsilon << ": proven " << one.epsilon << " by " << one.event);
    CHECK(one.epsilon <= epsilon);
    CHECK(one.epsilon >= 0.5 * epsilon);
  }
  GaussianNoise const mechanism{.epsilon = 1.0, .delta = 1e-5, .sensitivity = 1.0};
  double const step = mechanism.grid(4).step();
  CHECK(audit_message(mechanism, values({0.25F, 0.25F, 0.25F, 0.25F}, {-0.25F, -0.25F, -0.25F, -0.25F}, step),
                      {.delta = 1e-5})
            .epsilon <= 1.0);
  CHECK(audit_message(mechanism, values({0.0F}, {0.3F}, mechanism.grid(1).step()), {.delta = 1e-5}).epsilon <= 1.0);
}

TEST_CASE("Audit of GammaNoise: the sum of all clients with equal weights") {
  for (std::uint32_t const clients : {1U, 4U}) {
    GammaNoise const mechanism{.epsilon = 1.0, .sensitivity = 1.0, .colluding = 0};
    double const step = detail::NoiseGrid(1.0).step();
    for (auto const& secrets : {values({0.5F}, {-0.5F}, step), values({0.0F}, {0.3F}, step)}) {
      auto const result = audit_sum(mechanism, secrets, clients);
      INFO(clients << " clients: proven " << result.epsilon << " by " << result.event);
      CHECK(result.epsilon <=
            mechanism.loss({.asked = clients, .reported = clients, .dimension = 1, .interactions = asked})
                .epsilon_accounted);
    }
  }
  // Four values: vectors of L2 distance 1 have an L1 distance of up to 2, so the accounted epsilon is 2.
  GammaNoise const mechanism{.epsilon = 1.0, .sensitivity = 1.0, .colluding = 0};
  double const step = detail::NoiseGrid(1.0).step();
  auto const result =
      audit_sum(mechanism, values({0.25F, 0.25F, 0.25F, 0.25F}, {-0.25F, -0.25F, -0.25F, -0.25F}, step), 2);
  INFO("four values: proven " << result.epsilon << " by " << result.event);
  CHECK(result.epsilon <=
        mechanism.loss({.asked = 2, .reported = 2, .dimension = 4, .interactions = asked}).epsilon_accounted);
  CHECK(result.epsilon > mechanism.loss({.asked = 2, .reported = 2, .dimension = 4, .interactions = asked})
                             .epsilon_nominal);  // the paper's epsilon does not hold
}

TEST_CASE("Audit of GammaNoise: the sum of 200 clients, most of whose noise is not drawn") {
  GammaNoise const mechanism{.epsilon = 1.0, .sensitivity = 1.0, .colluding = 0};
  auto const result = audit_sum(mechanism, values({0.5F}, {-0.5F}, detail::NoiseGrid(1.0).step()), 200,
                                {.draws = 100'000, .selection = 50'000});
  INFO("proven " << result.epsilon << " by " << result.event);
  CHECK(result.epsilon <= 1.0);
  CHECK(result.epsilon >= 0.9);  // a missing part of the noise would prove more, a missing secret less
}

TEST_CASE("Audit of RandomizedMetric: the measurements, and whether there are any") {
  auto const mechanism = RandomizedMetric::max_rr(0.2);
  std::uint32_t const measurements = 2;
  double const stated =
      mechanism.loss({.asked = 1, .reported = 1, .dimension = 0, .interactions = measurements}).epsilon_accounted;
  REQUIRE(stated < 2.0);
  for (auto const& secrets :
       {std::array{EvolutionMessage{5, {0.0F, 0.0F}}, EvolutionMessage{5, {1.0F, 1.0F}}},
        std::array{EvolutionMessage{5, {}}, EvolutionMessage{5, {1.0F, 0.5F}}},
        std::array{EvolutionMessage{5, {0.3F, not_a_number}}, EvolutionMessage{5, {0.07F, 0.9F}}}}) {
    auto const result = audit(
        [&](std::size_t secret, std::uint64_t trial) {
          PrivacyContext const place{1, measurements, {.seed = 8'000'000 + 2 * trial + secret}};
          auto const message = mechanism.privatize(secrets[secret], place);
          Seen out{static_cast<double>(message.metrics.size())};
          for (float const m : message.metrics) out.push_back(static_cast<double>(m));
          return out;
        },
        [&](std::vector<Seen> const&) {
          std::vector<Event> events{{"no measurement", [](Seen const& s) { return s[0] == 0; }}};
          for (float const a : mechanism.levels)
            for (float const b : mechanism.levels)
              events.push_back({std::to_string(a) + ", " + std::to_string(b), [=](Seen const& s) {
                                  return s.size() == 3 && s[1] == static_cast<double>(a) &&
                                         s[2] == static_cast<double>(b);
                                }});
          return events;
        });
    INFO("stated " << stated << ", proven " << result.epsilon << " by " << result.event);
    CHECK(result.epsilon <= stated);
    if (secrets[0].metrics != std::vector<float>{} && secrets[0].metrics[0] == 0.3F)
      continue;  // these secrets are not the worst case
    CHECK(result.epsilon >= 0.9 * stated);
  }
}

TEST_CASE("Audit of client_message: a client with data and one without, with the client's own key") {
  auto const data = fltr::testing::toy_dataset();
  LaplaceNoise const mechanism{.epsilon = 1.0, .sensitivity = 1.0};
  std::array const clients{Client{0, asked, QueryPool(data)}, Client{0, asked, QueryPool()}};
  auto const result = audit(
      [&](std::size_t secret, std::uint64_t trial) {
        auto key = ClientKey::repeatable(Key256{static_cast<std::uint32_t>(2 * trial + secret), 9});
        NoState state;
        auto account = fltr::testing::generous_account();
        return seen(client_message(Pdgd{.learning_rate = 10.0F}, CascadeModel::perfect(3), mechanism, LinearRanker(5),
                                   clients[secret], RoundInfo{}, state, key, account));
      },
      [&](std::vector<Seen> const& draws) {
        return events_for(values(std::vector<float>(5, 0.1F), std::vector<float>(5), mechanism.grid().step()), draws);
      },
      {.draws = 200'000, .selection = 50'000});
  INFO("proven " << result.epsilon << " by " << result.event);
  CHECK(result.epsilon <= 1.0);
}

TEST_CASE("Audit of chains: the proven epsilon is at most the sum of the links' losses") {
  LaplaceNoise const laplace{.epsilon = 1.0, .sensitivity = 1.0};
  double const step = laplace.grid().step();
  auto const clipped = Chain(Clip{0.25}, laplace);
  CHECK(audit_message(clipped, values({0.5F}, {-0.5F}, step)).epsilon <=
        clipped.loss({.asked = 1, .reported = 1, .dimension = 1, .interactions = asked}).epsilon_accounted);
  auto const twice = Chain(laplace, LaplaceNoise{.epsilon = 0.5, .sensitivity = 1.0});
  CHECK(audit_message(twice, values({0.5F}, {-0.5F}, step)).epsilon <=
        twice.loss({.asked = 1, .reported = 1, .dimension = 1, .interactions = asked}).epsilon_accounted);
}

namespace {

// Mechanisms that do not keep their epsilon.

/// Adds secret and noise as floats.
struct FloatLaplace {
  double scale;
  LocalWeights privatize(LocalWeights m, PrivacyContext const& c) const {
    Stream stream = c.streams.of(Purpose::privacy);
    m.interactions = c.interactions;
    for (float& v : m.values) v += static_cast<float>(stream.laplace(scale));
    return m;
  }
};
/// Sends the first value without noise.
struct OneBareValue {
  LaplaceNoise mechanism;
  LocalWeights privatize(LocalWeights m, PrivacyContext const& c) const {
    float const bare = m.values[0];
    m = mechanism.privatize(std::move(m), c);
    m.values[0] = bare;
    return m;
  }
};
/// Adds the same noise to all values.
struct SameNoiseTwice {
  LaplaceNoise mechanism;
  LocalWeights privatize(LocalWeights m, PrivacyContext const& c) const {
    for (float& v : m.values) v = mechanism.privatize(LocalWeights{{v}, 1}, c).values[0];
    m.interactions = c.interactions;
    return m;
  }
};
/// Sends the number of interactions that the client made.
struct ShowsInteractions {
  LaplaceNoise mechanism;
  LocalWeights privatize(LocalWeights m, PrivacyContext const& c) const {
    auto const made = m.interactions;
    m = mechanism.privatize(std::move(m), c);
    m.interactions = made;
    return m;
  }
};

}  // namespace

TEST_CASE("The audit finds mechanisms that are broken on purpose") {
  LaplaceNoise const right{.epsilon = 0.1, .sensitivity = 1.0};
  double const step = right.grid().step();
  AuditOptions const few{.draws = 200'000, .selection = 100'000};
  auto const floats = audit_message(FloatLaplace{10.0}, values({0.0F}, {0.3F}, step), few);
  INFO("float noise: proven " << floats.epsilon << " by " << floats.event);
  CHECK(floats.epsilon > 3.0);
  CHECK(audit_message(LaplaceNoise{.epsilon = 2.0, .sensitivity = 1.0}, values({0.5F}, {-0.5F}, step), few).epsilon >
        1.0);  // half the noise that epsilon = 1 requires
  CHECK(audit_message(OneBareValue{right}, values({0.1F, 0.0F}, {-0.1F, 0.0F}, step), few).epsilon > 5.0);
  CHECK(audit_message(ShowsInteractions{right}, values({0.1F}, {0.1F}, step), few).epsilon > 5.0);
  // With the same noise in both values, their difference is the difference of the secrets, rounded to the grid.
  auto const twice = audit(
      [&](std::size_t secret, std::uint64_t trial) {
        std::array const secrets{LocalWeights{{0.25F, 0.25F}, 1}, LocalWeights{{0.25F, -0.25F}, 1}};
        auto const m = SameNoiseTwice{right}.privatize(secrets[secret], context(2 * trial + secret));
        return Seen{static_cast<double>(m.values[0]) - static_cast<double>(m.values[1])};
      },
      [](std::vector<Seen> const&) {
        return std::vector<Event>{{"equal values", [](Seen const& s) { return s[0] == 0.0; }}};
      },
      few);
  CHECK(twice.epsilon > 5.0);
}

TEST_CASE("The largest epsilon that the audit can prove follows from Clopper-Pearson limits") {
  // An event that holds in all of n draws under one secret and in none under the other proves this much at 99.9 %
  // confidence (0.05 % per side).
  CHECK(proven_epsilon(1000, 0, 1000, 0.001, 0.0) == Approx(4.88).margin(0.01));
  CHECK(proven_epsilon(10'000, 0, 10'000, 0.001, 0.0) == Approx(7.18).margin(0.01));
  CHECK(proven_epsilon(100'000, 0, 100'000, 0.001, 0.0) == Approx(9.48).margin(0.01));
  CHECK(proven_epsilon(1'000'000, 0, 1'000'000, 0.001, 0.0) == Approx(11.79).margin(0.01));
  CHECK(proven_epsilon(0, 1000, 1000, 0.001, 0.0) == 0.0);
  CHECK(proven_epsilon(10, 0, 1'000'000, 0.001, 1e-4) == 0.0);  // delta explains the difference
}
