// Audits with two secrets of whole federations: one client's weights are secret A or secret B, everything else is
// alike, and an auditor proves a lower bound on ε from what the server is assumed to see. The ledger of the very same
// runs must not state less (see tests/support/privacy_audit.hpp for the bound).
//
// GammaNoise with ε = .5 and Δ = 1: the noise of all clients together has the scale b = Δ/ε = 2. The secrets are
// ±Δ/(2√d) in each of d coordinates: both lie on the clip of Δ/2, and their difference has the L2 norm Δ. In scales of
// the noise a coordinate is shifted by s = ε/√d. The other nine clients send zeros.
//
// What the server sees is the sum in doubles, before the division and the rounding to floats of FedAvg. The auditor
// divides it by the public weight of the client under audit.
//
// The events, for both secrets (one set of draws selects the most promising events, another set counts them):
// - all coordinates within w of the secret, w = b, b/2, ... b/2^22: the densities differ most at the peak of the noise;
// - all coordinates above the secret; all below it;
// - one coordinate, and the sum of all, above or below thresholds from the middle to the tails;
// - a coordinate of the sum is off the grid; is an even number of steps; is a multiple of 3 or 16 steps.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <boost/math/special_functions/bessel.hpp>

#include <fltr/aggregators/fed_avg.hpp>
#include <fltr/click_models/no_clicks.hpp>
#include <fltr/concepts/attack.hpp>
#include <fltr/federation/make_federation.hpp>
#include <fltr/messages/local_weights.hpp>
#include <fltr/privatizers/chain.hpp>
#include <fltr/privatizers/clip.hpp>
#include <fltr/privatizers/gamma_noise.hpp>
#include <fltr/rankers/linear_ranker.hpp>

#include "support/catch.hpp"
#include "support/policies.hpp"
#include "support/privacy_audit.hpp"

namespace {

using namespace fltr;
using namespace fltr::testing;

constexpr std::uint32_t clients_asked = 10;
constexpr ClientId target = 0;
constexpr double infinity = std::numeric_limits<double>::infinity();

// ---- the federation under audit

/// The client under audit sends the secret, the others send zeros.
struct SendsSecret {
  using Message = LocalWeights;
  static constexpr bool shows_lists = false;

  float secret = 0.0F;                  ///< in each coordinate
  ClientId wrong_size = clients_asked;  ///< this client sends one value too many

  LocalWeights learn(auto const& ranker, auto const& client, auto&) const {
    std::size_t const d = ranker.parameters().size() + (client.id == wrong_size ? 1 : 0);
    return {std::vector<float>(d, client.id == target ? secret : 0.0F), client.interactions};
  }
};

/// Ten clients, of which those from `reporting` on do not answer.
struct TenClients {
  std::uint32_t reporting = clients_asked;
  std::uint32_t target_interactions = 1;
  std::uint32_t count = clients_asked;

  [[nodiscard]] std::size_t size() const { return count; }
  Client operator[](std::size_t i) const {
    return {static_cast<ClientId>(i), i == target ? target_interactions : 1, QueryPool()};
  }
  bool reports(RoundPhase const&, std::size_t i, Stream&) const { return i < reporting; }
};

/// The sum that the server sees.
struct SeenSum {
  std::vector<double> values;
  auto fields(auto&& visit) { return visit(values); }
};

/// FedAvg that keeps the sum.
struct ObservedSum {
  using Sum = WeightSum;
  using State = SeenSum;
  [[nodiscard]] WeightSum sum(ParametricRanker auto const& ranker) const { return weight_sum_for(ranker); }
  void aggregate(WeightSum const& total, ParametricRanker auto& ranker, State& state) const {
    FedAvg{}.aggregate(total, ranker);
    state.values = total.values;
  }
};

/// The same behind a seal: what travels is not a message, and the server keeps the opened sum.
struct SealedObservedSum : fltr::testing::SealedFedAvg {
  using State = SeenSum;
  void aggregate(Sum const& sum, ParametricRanker auto& ranker, State& state) const {
    ObservedSum{}.aggregate(sum.total, ranker, state);
  }
};

/// Gathers and averages. The server sees each single message. The state keeps that of the client under audit.
struct ObservedMessages {
  using State = SeenSum;
  void aggregate(std::span<ClientMessage<LocalWeights> const> all, ParametricRanker auto& ranker, State& state) const {
    WeightSum total = weight_sum_for(ranker);
    for (auto const& sent : all) {
      total.add(sent.message);
      if (sent.client == target) state.values.assign(sent.message.values.begin(), sent.message.values.end());
    }
    FedAvg{}.aggregate(total, ranker);
  }
};

/// The last client sends its message without noise.
struct LastClientAddsNoNoise {
  struct {
    bool contains(ClientId client) const { return client == clients_asked - 1; }
  } malicious;
  void poison(std::span<ClientMessage<LocalWeights>>, auto const&, AttackContext const&) const {}
};

/// The last client sees all messages. It subtracts all of them from the sum, except that of the client under audit.
struct LastClientCancelsOthers {
  struct {
    bool contains(ClientId client) const { return client == clients_asked - 1; }
  } malicious;
  void poison(std::span<ClientMessage<LocalWeights>> mine, std::span<ClientMessage<LocalWeights> const> others,
              auto const&, AttackContext const&) const {
    for (auto& own : mine)
      for (std::size_t k = 0; k < own.message.values.size(); ++k) {
        double sum = 0.0;
        for (auto const& other : others)
          if (other.client != target) sum += static_cast<double>(other.message.values[k]);
        own.message.values[k] = static_cast<float>(-sum);
      }
  }
};

/// The last client adds no noise and claims that it has no interactions.
struct LastClientClaimsNothing : LastClientAddsNoNoise {
  void poison(std::span<ClientMessage<LocalWeights>> mine, auto const&, AttackContext const&) const {
    for (auto& own : mine) own.message.interactions = 0;
  }
};

/// Wrong on purpose: states ε √d even if noise is missing.
struct FlatPrice : GammaNoise {
  [[nodiscard]] PrivacyLoss loss(RoundRelease const& release) const {
    return {.epsilon_nominal = epsilon,
            .epsilon_accounted = epsilon * std::sqrt(static_cast<double>(release.dimension))};
  }
};

constexpr GammaNoise half{.epsilon = 0.5, .sensitivity = 1.0, .colluding = 0};  // the auditor is the server alone
constexpr double scale = 2.0;                                                   // of the noise of all clients together

// ---- the audit

struct Scenario {
  std::string name;
  std::uint64_t seed = 0;  ///< the upper half of the seeds of the runs
  std::size_t dimension = 1;
  std::uint64_t minimum_reports = clients_asked;
  std::uint64_t draws = 200'000;
};

struct Audited {
  double proven = 0.0;
  std::string event{};
  PrivacyLoss stated{};          ///< by the ledger, the same in all runs
  RoundStatistics statistics{};  ///< the same in all runs, except for sums
  bool worst_covers = true;      ///< worst_loss() before the round was never below the price after it
  bool same_price = true;        ///< in all runs

  [[nodiscard]] std::string line(std::string const& name) const {
    return name + ": proven " + std::to_string(proven) + ", stated " + std::to_string(stated.epsilon_accounted) +
           ", by the event: " + event;
  }
};

std::vector<Event> events_for(std::size_t d, std::vector<Seen> const& draws) {
  std::vector<Event> events;
  double const a = 0.5 / std::sqrt(static_cast<double>(d));
  auto const all = [](Seen const& s, auto const& holds) { return std::ranges::all_of(s, holds); };
  for (double const secret : {a, -a}) {
    std::string const name = secret > 0 ? " A" : " B";
    for (double w = scale; w > scale * 0x1p-23; w *= 0.5)
      events.push_back({"all within " + std::to_string(w) + " of" + name,
                        [=](Seen const& s) { return all(s, [=](double y) { return std::abs(y - secret) < w; }); }});
    events.push_back({"all above" + name, [=](Seen const& s) { return all(s, [=](double y) { return y > secret; }); }});
    events.push_back({"all below" + name, [=](Seen const& s) { return all(s, [=](double y) { return y < secret; }); }});
  }
  double const step = detail::NoiseGrid(scale).step();
  for (std::size_t i = 0; i < d; ++i) {
    std::string const y = "y" + std::to_string(i);
    auto const multiple_of = [&](std::string const& what, double of) {
      events.push_back({y + what, [=](Seen const& s) { return std::fmod(s[i], of) == 0.0; }});
      events.push_back({y + " not" + what, [=](Seen const& s) { return std::fmod(s[i], of) != 0.0; }});
    };
    multiple_of(" on the grid", step);
    multiple_of(" even", 2 * step);
    multiple_of(" multiple of 3", 3 * step);
    multiple_of(" multiple of 16", 16 * step);
    add_thresholds(events, y, draws, [=](Seen const& s) { return s[i]; });
  }
  if (d > 1)
    add_thresholds(events, "sum", draws, [](Seen const& s) {
      double out = 0.0;
      for (double const y : s) out += y;
      return out;
    });
  return events;
}

/// Runs whole federations of one round. `make(learner)` makes the federation.
template <class Make>
Audited audit_scenario(Scenario const& scenario, TenClients const& clients, Make const& make) {
  auto const a = static_cast<float>(0.5 / std::sqrt(static_cast<double>(scenario.dimension)));
  std::array const federations{make(SendsSecret{a}), make(SendsSecret{-a})};
  std::uint64_t const first_seed = scenario.seed << 32U;
  Audited out;
  std::optional<PrivacyLoss> stated;
  auto const draw = [&](std::size_t secret, std::uint64_t trial) {
    auto training = federations[secret].start(
        clients, {.seed = first_seed + 2 * trial + secret, .minimum_reports = scenario.minimum_reports});
    std::optional<PrivacyLoss> worst;
    if (trial < 100) worst = training.worst_loss();
    training.advance();
    auto const round = training.round();
    if (!stated) {
      stated = round.privacy;
      out.statistics = round.statistics;
    }
    out.same_price = out.same_price && round.privacy->epsilon_accounted == stated->epsilon_accounted &&
                     round.statistics.reported == out.statistics.reported &&
                     round.statistics.noiseless == out.statistics.noiseless;
    if (worst) out.worst_covers = out.worst_covers && worst->epsilon_accounted >= round.privacy->epsilon_accounted;
    Seen seen = training.server_state().values;
    for (double& y : seen) y /= static_cast<double>(clients.target_interactions);
    return seen;
  };
  auto const result = audit(draw, [&](std::vector<Seen> const& draws) { return events_for(scenario.dimension, draws); },
                            {.draws = scenario.draws, .selection = scenario.draws / 4});
  out.proven = result.epsilon;
  out.event = result.event;
  out.stated = *stated;
  return out;
}

template <class A = ObservedSum, class P = GammaNoise>
auto federation_of(std::size_t d, A aggregator = {}, P privatizer = P{half}) {
  return [=](SendsSecret learner) {
    return make_federation(LinearRanker(d), NoClicks{}, learner, aggregator, privatizer);
  };
}

std::string const against_server =
    "against the server alone: assumes that no client uses its knowledge of its own noise";

/// d · g(ε/√d) with the Bessel function of another library than the ledger's.
double missing_noise_price(double share, double epsilon, double d) {
  double const order = share - 0.5;
  double const s = epsilon / std::sqrt(d);
  return d * std::log(std::tgamma(order) * std::pow(2.0, order - 1.0) /
                      (std::pow(s, order) * boost::math::cyl_bessel_k(order, s)));
}

}  // namespace

TEST_CASE("audit of federations in which all clients report") {
  // Laplace noise of scale b in each coordinate: the event that all coordinates lie above secret A has the
  // probabilities 2^-d and 2^-d e^(-d s), a ratio of e^(d s) = e^(.5 √d). With n = 200,000 draws a side the logarithm
  // of the ratio has a standard error of about sqrt(1 / (n p_A) + 1 / (n p_B)): .006 (d = 1), .018 (d = 4). The proven
  // bound lies 3.8 standard errors below it (99.9 % over 6 events, two sides).
  for (std::size_t const d : {std::size_t{1}, std::size_t{4}}) {
    Scenario const scenario{"all report, d = " + std::to_string(d), 10 + d, d};
    auto const audited = audit_scenario(scenario, {}, federation_of(d));
    double const stated = 0.5 * std::sqrt(static_cast<double>(d));
    INFO(audited.line(scenario.name));
    CHECK(audited.proven <= audited.stated.epsilon_accounted);
    CHECK(audited.stated.epsilon_accounted == Approx(stated).epsilon(1e-12));
    CHECK(audited.proven >= 0.85 * stated);
    CHECK(audited.stated.assumption == "assumes a server that keeps only sums; " + against_server);
    CHECK(audited.stated.reason.empty());
    CHECK((audited.worst_covers && audited.same_price && audited.statistics.reported == 10));
  }
}

TEST_CASE("audit of federations in which 40 % of the clients are missing") {
  // ν = .6: the density of the noise at distance x from its peak falls like 1 − c x^.2. The ratio at the peak is
  // e^1.771, but only in an interval that is much too narrow for draws to hit it. 10^6 draws prove about 1.35; 1.2
  // leaves room for other random numbers. With complete noise the bound is .5.
  for (std::size_t const d : {std::size_t{1}, std::size_t{4}}) {
    Scenario const scenario{"40 % missing, d = " + std::to_string(d), 20 + d, d, 6, d == 1 ? 1'000'000U : 200'000U};
    auto const audited = audit_scenario(scenario, {.reporting = 6}, federation_of(d));
    INFO(audited.line(scenario.name));
    CHECK(audited.proven <= audited.stated.epsilon_accounted);
    CHECK(audited.stated.epsilon_accounted ==
          Approx(missing_noise_price(0.6, 0.5, static_cast<double>(d))).epsilon(1e-9));
    if (d == 1) {
      CHECK(audited.stated.epsilon_accounted == Approx(1.771).margin(5e-4));
      CHECK(audited.proven >= 1.2);
    } else {
      CHECK(audited.proven > 1.0);  // .5 √4, the price of complete noise
    }
    CHECK(audited.stated.assumption == "assumes a server that keeps only sums; " + against_server);
    CHECK((audited.worst_covers && audited.same_price && audited.statistics.reported == 6));
  }
}

TEST_CASE("audit of a federation in which 60 % of the clients are missing") {
  // ν = .4: the density has a pole x^(2ν−1) at 0. The probability of an interval of width w around the peak falls like
  // w^.8, and that of an interval beside it like w. The ratio grows without bound as w falls, so the audit proves more
  // than the bound for ν = .6.
  Scenario const scenario{"60 % missing", 30, 1, 4};
  auto const audited = audit_scenario(scenario, {.reporting = 4}, federation_of(1));
  INFO(audited.line(scenario.name));
  CHECK(audited.proven <= audited.stated.epsilon_accounted);
  CHECK(audited.stated.epsilon_accounted == infinity);
  CHECK(audited.stated.reason ==
        "half of the noise or more is missing or known: clients did not report, added none, or may use what they know "
        "of their own");
  CHECK(audited.proven >= 1.771);  // a bound that holds at ν = .6 and does not hold here
  CHECK((audited.worst_covers && audited.same_price && audited.statistics.reported == 4));
}

TEST_CASE("audit of a federation with unequal weights") {
  // A client of 1,000 interactions beside nine of 1: the noise in the sum, divided by 1,000, has the characteristic
  // function φ(t) = (1 + t²)^-.1 (1 + (t/1000)²)^-.9, t in 1/b. Its density at the peak is ∫ φ(t) dt / π = 146.97, over
  // t > 0, and that at a distance of s = .5 is ∫ cos(t/2) φ(t) dt / π = .10518: the ratio is e^7.242. Events are
  // intervals around the peak, so less is proven.
  Scenario const scenario{"unequal weights", 40, 1};
  TenClients const clients{.target_interactions = 1000};
  auto const audited = audit_scenario(scenario, clients, federation_of(1));
  INFO(audited.line(scenario.name));
  CHECK(audited.proven <= audited.stated.epsilon_accounted);
  CHECK(audited.stated.epsilon_accounted == infinity);
  CHECK(audited.stated.reason == "messages have different weights, so their noise does not add up to Laplace noise");
  CHECK(audited.proven > 2.0);
  CHECK(audited.proven <= 7.2424);
  CHECK((audited.worst_covers && audited.same_price && audited.statistics.reported == 10));

  Scenario const old{"unequal weights, broken: the flat price", 41, 1, 10, 50'000};
  auto const broken = audit_scenario(old, clients, federation_of(1, ObservedSum{}, FlatPrice{half}));
  INFO(broken.line(old.name));
  CHECK(broken.stated.epsilon_accounted == 0.5);
  CHECK(broken.proven > broken.stated.epsilon_accounted);
}

TEST_CASE("audit of a federation with a rejected client") {
  // The last client's message has a value too many. Its noise is missing: ν = .9.
  // The shift of the noise by s = .5 costs .640 at its peak, and never less than .5: g' = K_(1−μ)/K_μ > 1, μ = ν − ½.
  // The event y < −Δ/2 alone has a ratio of e^.55, so that 400,000 draws prove more than .5.
  Scenario const scenario{"a rejected client", 50, 1, 9, 400'000};
  auto const audited = audit_scenario(scenario, {}, [](SendsSecret learner) {
    learner.wrong_size = clients_asked - 1;
    return federation_of(1)(learner);
  });
  INFO(audited.line(scenario.name));
  CHECK(audited.statistics.rejected == 1);
  CHECK(audited.proven <= audited.stated.epsilon_accounted);
  CHECK(audited.stated.epsilon_accounted == Approx(0.640).margin(5e-4));
  CHECK(audited.stated.epsilon_accounted == Approx(missing_noise_price(0.9, 0.5, 1.0)).epsilon(1e-9));
  CHECK(audited.proven > 0.5);  // the price of complete noise does not hold
  CHECK((audited.worst_covers && audited.same_price && audited.statistics.reported == 9));
}

TEST_CASE("audit of a federation with an attacker that adds no noise") {
  Scenario const scenario{"an attacker without noise", 60, 1, 10, 400'000};
  auto const audited = audit_scenario(
      scenario, {}, [](SendsSecret learner) { return federation_of(1)(learner).with_attack(LastClientAddsNoNoise{}); });
  INFO(audited.line(scenario.name));
  CHECK(audited.statistics.noiseless == 1);
  CHECK(audited.proven <= audited.stated.epsilon_accounted);
  CHECK(audited.stated.epsilon_accounted == Approx(0.640).margin(5e-4));
  CHECK(audited.proven > 0.5);
  CHECK((audited.worst_covers && audited.same_price && audited.statistics.reported == 10));
}

TEST_CASE("audit of a federation with an attacker that states another weight") {
  // The attacker's message has no noise, so its weight does not matter: ν = .9 as above.
  Scenario const scenario{"an attacker without weight", 61, 1, 10, 400'000};
  auto const audited = audit_scenario(scenario, {}, [](SendsSecret learner) {
    return federation_of(1)(learner).with_attack(LastClientClaimsNothing{});
  });
  INFO(audited.line(scenario.name));
  CHECK(audited.statistics.noiseless == 1);
  CHECK(audited.proven <= audited.stated.epsilon_accounted);
  CHECK(audited.stated.epsilon_accounted == Approx(0.640).margin(5e-4));
  CHECK(audited.proven > 0.5);
  CHECK((audited.worst_covers && audited.same_price && audited.statistics.reported == 10));
}

TEST_CASE("audit of a sealed federation with an attacker that sees all messages") {
  // The attacker subtracts the other eight honest messages from the sum: a tenth of the noise is left.
  Scenario const scenario{"an attacker who sees all", 62};
  auto const audited = audit_scenario(scenario, {}, [](SendsSecret learner) {
    return federation_of(1, SealedObservedSum{})(learner).with_attack(LastClientCancelsOthers{});
  });
  INFO(audited.line(scenario.name));
  CHECK(audited.proven <= audited.stated.epsilon_accounted);
  CHECK(audited.stated.epsilon_accounted == infinity);
  CHECK(audited.stated.reason == "the server or attackers see single messages, which carry a small share of the noise");
  CHECK(audited.proven > 2.0);
  CHECK((audited.worst_covers && audited.same_price && audited.statistics.noiseless == 1));
}

TEST_CASE("audit of a chain that clips after the noise") {
  // Each of two clients adds its noise, the difference of two Gamma(.5), and then clips at Δ/2. The sum is Δ if both
  // messages are clipped to Δ/2. For this, the noise of the client under audit must be above 0 under secret A, and
  // above Δ = b/2 under secret B. The probabilities are .5 and .204 (∫ K_0(x) dx / π over x > .5), a ratio of e^.897.
  Scenario const scenario{"a clip after the noise", 63, 1, 2};
  auto const audited = audit_scenario(scenario, {.reporting = 2, .count = 2},
                                      federation_of(1, ObservedSum{}, Chain(half, Clip{.bound = 0.5})));
  INFO(audited.line(scenario.name));
  CHECK(audited.proven <= audited.stated.epsilon_accounted);
  CHECK(audited.stated.epsilon_accounted == infinity);
  CHECK(audited.stated.reason ==
        "messages are changed after their noise was added (by a later link of the chain, or by an aggregator that is "
        "not linear), so their noise does not add up to Laplace noise");
  CHECK(audited.proven > 0.7);
  CHECK((audited.worst_covers && audited.same_price && audited.statistics.reported == 2));
}

TEST_CASE("audit of a federation whose server sees single messages") {
  // The message of one of ten clients has a tenth of the noise: the difference of two Gamma(.1). It rounds to 0 steps
  // of the grid with a probability of several percent. Under the other secret the message almost never has this value.
  Scenario const scenario{"single messages", 70, 1};
  auto const audited = audit_scenario(scenario, {}, federation_of(1, ObservedMessages{}));
  INFO(audited.line(scenario.name));
  CHECK(audited.proven <= audited.stated.epsilon_accounted);
  CHECK(audited.stated.epsilon_accounted == infinity);
  CHECK(audited.stated.reason == "the server or attackers see single messages, which carry a small share of the noise");
  CHECK(audited.proven > 2.0);
  CHECK((audited.worst_covers && audited.same_price && audited.statistics.reported == 10));
}

TEST_CASE("audit of a federation with a seal") {
  for (std::size_t const d : {std::size_t{1}, std::size_t{4}}) {
    Scenario const scenario{"sealed, d = " + std::to_string(d), 80 + d, d};
    auto const audited = audit_scenario(scenario, {}, federation_of(d, SealedObservedSum{}));
    double const stated = 0.5 * std::sqrt(static_cast<double>(d));
    INFO(audited.line(scenario.name));
    CHECK(audited.proven <= audited.stated.epsilon_accounted);
    CHECK(audited.stated.epsilon_accounted == Approx(stated).epsilon(1e-12));
    CHECK(audited.proven >= 0.85 * stated);
    CHECK(audited.stated.assumption == against_server + "; assumes a seal that adds messages without rounding them");
    CHECK(audited.stated.reason.empty());
    CHECK((audited.worst_covers && audited.same_price && audited.statistics.reported == 10));
  }
}

TEST_CASE("the audit flags a price that ignores missing noise") {
  Scenario const scenario{"40 % missing, broken: the flat price", 90, 1, 6};
  auto const audited = audit_scenario(scenario, {.reporting = 6}, federation_of(1, ObservedSum{}, FlatPrice{half}));
  INFO(audited.line(scenario.name));
  CHECK(audited.stated.epsilon_accounted == 0.5);
  CHECK(audited.proven > audited.stated.epsilon_accounted);
}

TEST_CASE("The worst release costs at least as much as the release that happens, for any facts of a round") {
  // The worst release has no more reports, no fewer attackers and no narrower range of weights than the actual one.
  Stream stream(1);
  std::size_t finite = 0;
  for (int i = 0; i < 20'000; ++i) {
    std::uint64_t const asked = 1 + stream.below(i % 2 == 0 ? 12 : 2000);
    auto const at_most = [&](std::uint64_t bound) { return stream.below64(bound + 1); };
    RoundRelease actual;
    actual.asked = asked;
    actual.reported = asked - std::min(asked, at_most(asked) * at_most(4) / 4);
    actual.rejected = at_most(asked - actual.reported);
    actual.noiseless = at_most(actual.reported) * at_most(2) / 4;
    actual.dimension = 1 + stream.below(200);
    actual.smallest_weight = 1.0 + stream.below(2);
    actual.largest_weight = actual.smallest_weight + (stream.below(4) == 0 ? 1.0 : 0.0);
    actual.view = static_cast<ServerView>(stream.below(3));
    actual.discarded = stream.below(4) == 0;
    RoundRelease worst = actual;
    worst.discarded = false;
    worst.reported = actual.reported - at_most(actual.reported) * at_most(1);
    worst.noiseless = std::min(worst.reported, actual.noiseless + at_most(asked) * at_most(1));
    worst.noiseless = std::max(worst.noiseless, std::min(worst.reported, actual.noiseless));
    if (stream.below(4) == 0) worst.smallest_weight -= 1.0;
    GammaNoise const mechanism{.epsilon = 0.05 + 3.0 * stream.uniform(),
                               .sensitivity = 1.0,
                               .clip_at = stream.below(2) == 0 ? ClipAt::half : ClipAt::delta,
                               .fewest_reports = stream.below(2) == 0 ? 0 : 5 + stream.below(10),
                               .colluding = stream.below(4)};
    PrivacyLoss const worst_loss = mechanism.loss(worst);
    PrivacyLoss const actual_loss = mechanism.loss(actual);
    double const before = worst_loss.epsilon_accounted;
    double const after = actual_loss.epsilon_accounted;
    if (before < infinity) ++finite;
    bool covers = before >= after && worst_loss.zcdp() >= actual_loss.zcdp();
    auto const worst_curve = worst_loss.renyi();
    auto const actual_curve = actual_loss.renyi();
    for (std::size_t k = 0; k < worst_curve.size(); ++k) covers = covers && worst_curve[k] >= actual_curve[k];
    if (!covers)
      FAIL_CHECK("worst " << before << ", actual " << after << ", asked " << asked << ", reported " << worst.reported
                          << " and " << actual.reported << ", noiseless " << worst.noiseless << " and "
                          << actual.noiseless);
  }
  CHECK(finite > 1000);  // not all of them trivial
}

TEST_CASE("The worst price before a round is never below the price after it") {
  Stream stream(2);
  std::size_t finite = 0;
  std::size_t discarded = 0;
  auto const run = [&](auto const& federation) {
    for (std::uint64_t i = 0; i < 600; ++i) {
      std::uint32_t const reporting = i % 2 == 0 ? 5 + stream.below(6) : stream.below(11);
      TenClients const clients{reporting, stream.below(4) == 0 ? 2U : 1U};
      std::uint64_t const minimum = i % 2 == 0 ? reporting - stream.below(2) : 1 + stream.below(10);
      auto training = federation.start(clients, {.seed = 500 + i, .minimum_reports = minimum});
      auto const worst = training.worst_loss();
      training.advance();
      auto const after = training.round();
      if (worst->epsilon_accounted < infinity) ++finite;
      if (after.statistics.reported < minimum) ++discarded;
      INFO(reporting << " report, at least " << minimum << " must");
      CHECK(worst->epsilon_accounted >= after.privacy->epsilon_accounted);
    }
  };
  SendsSecret const learner{0.25F};
  auto rejects = learner;
  rejects.wrong_size = 2;
  run(federation_of(3)(learner));
  run(federation_of(3)(rejects));
  run(federation_of(3)(learner).with_attack(LastClientAddsNoNoise{}));
  run(federation_of(3, SealedObservedSum{})(rejects).with_attack(LastClientAddsNoNoise{}));
  run(federation_of(3)(learner).with_attack(LastClientClaimsNothing{}));
  run(federation_of(3, SealedObservedSum{})(learner).with_attack(LastClientCancelsOthers{}));
  run(federation_of(3, ObservedMessages{})(learner));
  CHECK(finite > 500);
  CHECK(discarded > 300);
}

TEST_CASE("The recorded sum is the one that FedAvg turns into the ranker") {
  auto const make = federation_of(4);
  auto training = make(SendsSecret{0.25F}).start(TenClients{}, {.seed = 3});
  auto plain = make(SendsSecret{0.25F}).with_aggregator(FedAvg{}).start(TenClients{}, {.seed = 3});
  auto sealed = make(SendsSecret{0.25F}).with_aggregator(SealedObservedSum{}).start(TenClients{}, {.seed = 3});
  training.advance();
  plain.advance();
  sealed.advance();
  for (std::size_t k = 0; k < 4; ++k) {
    CHECK(static_cast<float>(training.server_state().values[k] / 10.0) == plain.ranker().parameters()[k]);
    CHECK(sealed.server_state().values[k] == training.server_state().values[k]);
  }
}
