#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include <fltr/aggregators/bucketing.hpp>
#include <fltr/aggregators/fed_avg.hpp>
#include <fltr/aggregators/fed_opt.hpp>
#include <fltr/aggregators/fl_detector.hpp>
#include <fltr/aggregators/median.hpp>
#include <fltr/aggregators/norm_bound.hpp>
#include <fltr/core/random.hpp>

#include "support/catch.hpp"
#include "support/same_bits.hpp"

using namespace fltr;
using fltr::testing::same_bits;

namespace {

using Vector = archetypes::DifferentiableRanker;
using Messages = std::vector<ClientMessage<LocalWeights>>;

std::span<ClientMessage<LocalWeights> const> all(Messages const& messages) { return messages; }

constexpr std::size_t parameters = 6;

/// A round of clients that take one noisy gradient step on ½ ‖w − c‖² for a common c. The noise of a malicious client is
/// `factor` times as large. `at(i, round)` says whether client i takes part.
struct Clients {
  std::uint32_t count = 10;
  std::set<ClientId> malicious{};
  double factor = 5.0;
  std::uint64_t seed = 1;

  template <class At>
  [[nodiscard]] Messages messages(Vector const& ranker, std::uint32_t round, At const& at) const {
    Messages out;
    for (std::uint32_t i = 0; i < count; ++i) {
      if (!at(i, round)) continue;
      Stream stream = Streams{.seed = seed, .round = round, .client = i}.of(Purpose::user);
      LocalWeights message{ranker.weights, 3};
      for (std::size_t k = 0; k < parameters; ++k) {
        double const noise = stream.normal() * (malicious.contains(i) ? factor : 1.0);
        message.values[k] += static_cast<float>(0.1 * (1.0 + static_cast<double>(k) + noise) -
                                                0.1 * static_cast<double>(ranker.weights[k]));
      }
      out.push_back({i, std::move(message), i});
    }
    return out;
  }
  [[nodiscard]] Messages messages(Vector const& ranker, std::uint32_t round) const {
    return messages(ranker, round, [](std::uint32_t, std::uint32_t) { return true; });
  }
};

std::set<ClientId> ids(std::map<ClientId, std::uint32_t> const& flagged) {
  std::set<ClientId> out;
  for (auto const& [client, round] : flagged) out.insert(client);
  return out;
}

using Detected = State<FlDetector<>>;

}  // namespace

static_assert(Aggregator<FlDetector<FedOpt<>>> && Aggregator<FlDetector<Median>> && Detector<FlDetector<Median>>);
static_assert(Aggregator<FlDetector<Bucketing<NormBound<Median>>>>);
static_assert(!Detector<FedAvg> && !Detector<NormBound<FedAvg>>);

TEST_CASE("The prediction error is the distance of two updates after the predicted change") {
  detail::UpdateHistory history;
  history.models[4] = {1.0F, 2.0F};
  detail::UpdateHistory::Record const last{4, {0.5F, 2.5F}, {}, 0};  // u' = (.5, -.5)
  std::vector<float> const model{3.0F, 3.0F};
  std::vector<float> const message{3.0F, 0.0F};  // u = (0, 3)
  std::vector<double> const change{2.5, -0.5};   // û = (3, -1)
  CHECK(history.prediction_error(last, message, model, change) == Approx(5.0));
}

TEST_CASE("A round adds the change of the update per length of the step, unless the model did not move") {
  detail::UpdateHistory history;
  std::vector<float> const w1{0.0F, 0.0F};
  std::vector<float> const w2{3.0F, 4.0F};
  std::vector<float> const w3{5.0F, 4.0F};
  history.add_round(1, w1, w2, 2);  // g = (-3, -4)
  CHECK(history.pairs.empty());
  history.add_round(2, w2, w3, 2);  // g = (-2, 0)
  REQUIRE(history.pairs.size() == 1);
  CHECK(history.pairs[0].step == std::vector{0.6, 0.8});
  CHECK(history.pairs[0].change == std::vector{0.2, 0.8});
  CHECK(history.models.size() == 1);  // no client refers to the first
  history.add_round(3, w2, w3, 2);
  CHECK(history.pairs.size() == 1);
  history.add_round(4, w3, w1, 2);
  history.add_round(5, w1, w2, 2);
  CHECK(history.pairs.size() == 2);  // the window
  CHECK(history.consistent());
  history.pairs[0].step.pop_back();
  CHECK_FALSE(history.consistent());
}

TEST_CASE("FlDetector flags exactly the clients with contradicting updates, and drops their messages") {
  for (std::uint32_t malicious : {1U, 2U, 3U, 4U}) {
    Clients clients{.seed = malicious};
    for (std::uint32_t i = 0; i < malicious; ++i) clients.malicious.insert(2 * i);
    FlDetector<> const detector;
    Vector ranker{std::vector<float>(parameters)};
    Detected state;
    std::uint32_t round = 0;
    while (state.flagged.empty() && round < 60) {
      Vector const before = ranker;
      detector.aggregate(all(clients.messages(before, ++round)), ranker, state);
    }
    CHECK(ids(state.flagged) == clients.malicious);
    CHECK(round >= 2 * detector.window + detector.confirmations);
    CHECK(state.flagged.begin()->second == round);
    // What contains the influence of the attackers is forgotten.
    CHECK(state.history.pairs.empty());
    for (auto const& [client, record] : state.history.clients)
      CHECK((record.errors.empty() && record.suspicions == 0 && !record.message.empty()));
    for (auto const& [client, score] : state.scores) CHECK((score > 1.0) == clients.malicious.contains(client));

    // Their messages do not reach FedAvg, in the round of the detection and later.
    for (int later = 0; later < 3; ++later) {
      Vector expected = ranker;
      auto messages = clients.messages(ranker, ++round);
      detector.aggregate(all(messages), ranker, state);
      std::erase_if(messages, [&](auto const& sent) { return clients.malicious.contains(sent.client); });
      FedAvg{}.aggregate(sum_messages(FedAvg{}, messages, expected), expected);
      CHECK(same_bits(ranker, expected));
      CHECK(state.history.clients.size() == 10 - malicious);
    }
  }
}

TEST_CASE("A detector that flags nobody gives the bits and the state of the wrapped aggregator") {
  Clients const clients;
  auto const check = [&](auto const& aggregator, auto const& plain) {
    using A = std::remove_cvref_t<decltype(aggregator)>;
    FlDetector const detector{aggregator};
    Vector ranker{std::vector<float>(parameters)};
    Vector expected = ranker;
    State<FlDetector<A>> state;
    State<A> alone;
    for (std::uint32_t round = 1; round <= 40; ++round) {
      detector.aggregate(all(clients.messages(ranker, round)), ranker, state);
      plain(clients.messages(expected, round), expected, alone);
    }
    CHECK(state.flagged.empty());
    CHECK(same_bits(ranker, expected));
    CHECK(same_bits(state.inner, alone));
  };
  check(FedAvg{}, [](Messages const& m, Vector& r, auto&) { FedAvg{}.aggregate(sum_messages(FedAvg{}, m, r), r); });
  check(FedOpt<>{}, [](Messages const& m, Vector& r, auto& state) {
    FedOpt<>{}.aggregate(sum_messages(FedOpt<>{}, m, r), r, state);
  });
  check(Median{}, [](Messages const& m, Vector& r, auto& state) { Median{}.aggregate(all(m), r, state); });
}

TEST_CASE("FlDetector is silent about honest clients in at least 19 of 20 runs; a single test is not") {
  int alarms = 0;
  int alarms_of_single_tests = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Clients const clients{.seed = seed};
    for (std::uint32_t const confirmations : {1U, 10U}) {
      FlDetector<> const detector{.confirmations = confirmations};
      Vector ranker{std::vector<float>(parameters)};
      Detected state;
      for (std::uint32_t round = 1; round <= 200; ++round)
        detector.aggregate(all(clients.messages(ranker, round)), ranker, state);
      (confirmations == 1 ? alarms_of_single_tests : alarms) += state.flagged.empty() ? 0 : 1;
    }
  }
  CHECK(alarms <= 1);
  CHECK(alarms_of_single_tests >= 15);  // the published rule: about .05 per test, and 180 tests
}

TEST_CASE("Clients that miss rounds or join late are judged by their own rounds") {
  // Client 0 takes part in every third round, client 1 from round 30 on, client 2 leaves after round 25.
  auto const at = [](std::uint32_t i, std::uint32_t round) {
    return i == 0 ? round % 3 == 0 : i == 1 ? round >= 30 : i == 2 ? round <= 25 : true;
  };
  FlDetector<> const detector;
  for (bool const attacked : {false, true}) {
    Clients const clients{.malicious = attacked ? std::set<ClientId>{0, 1} : std::set<ClientId>{}, .factor = 8.0};
    Vector ranker{std::vector<float>(parameters)};
    Detected state;
    for (std::uint32_t round = 1; round <= 120; ++round) {
      detector.aggregate(all(clients.messages(ranker, round, at)), ranker, state);
      REQUIRE(state.history.consistent());
      // The models of the last round, of client 0's and of client 2's last message.
      REQUIRE(state.history.models.size() <= 4);
    }
    CHECK(ids(state.flagged) == clients.malicious);
  }
}

TEST_CASE("Only consecutive tests with new messages of the client make it more suspect") {
  Clients const honest;
  Clients const attacked{.malicious = {3}, .factor = 30.0};
  Vector ranker{std::vector<float>(parameters)};
  // A single bad message of client 3 is in its score for about 11 rounds: 12 suspicions in a row, and then again.
  FlDetector<> const patient{.confirmations = 14};
  Detected state;
  std::uint32_t most = 0;
  for (std::uint32_t round = 1; round <= 120; ++round) {
    patient.aggregate(all((round % 30 == 0 ? attacked : honest).messages(ranker, round)), ranker, state);
    most = std::max(most, state.history.clients[3].suspicions);
  }
  CHECK(most > 8);
  CHECK(state.flagged.empty());

  // Client 3 leaves when it was suspected 5 times.
  Detected other;
  bool left = false;
  for (std::uint32_t round = 1; round <= 120; ++round) {
    FlDetector<>{}.aggregate(all(attacked.messages(ranker, round, [&](auto i, auto) { return i != 3 || !left; })),
                             ranker, other);
    left = left || other.history.clients[3].suspicions == 5;
  }
  CHECK(left);
  CHECK(other.flagged.empty());
  CHECK(other.history.clients[3].suspicions == 5);
}

TEST_CASE("Equal messages, messages that do not move the model and few clients flag nobody") {
  FlDetector<> const detector{.confirmations = 1};
  for (std::uint32_t const count : {1U, 2U, 10U}) {
    Vector ranker{std::vector<float>(parameters)};
    Detected state;
    for (std::uint32_t round = 1; round <= 40; ++round) {
      Messages messages;
      for (std::uint32_t i = 0; i < count; ++i) {
        LocalWeights message{ranker.weights, 1};
        if (round % 2 == 0) message.values[0] += static_cast<float>(std::sin(round));  // every other round moves
        messages.push_back({i, message, i});
      }
      detector.aggregate(all(messages), ranker, state);
    }
    CHECK(state.flagged.empty());
    CHECK(state.refused == 0);
    for (auto const& [client, score] : state.scores) CHECK(score == 1.0);
  }
  // Two clients that differ: two points are always two clusters.
  Clients const two{.count = 2, .malicious = {0}};
  Vector ranker{std::vector<float>(parameters)};
  Detected state;
  for (std::uint32_t round = 1; round <= 60; ++round)
    detector.aggregate(all(two.messages(ranker, round)), ranker, state);
  CHECK(state.flagged.empty());
  CHECK(state.scores.size() == 2);
}

TEST_CASE("FlDetector refuses to drop more than the largest share, and reports it") {
  Clients const clients{.malicious = {0, 1, 2, 3, 4, 5, 6}, .factor = 10.0};  // the honest clients are few
  for (double const share : {0.5, 0.7}) {
    FlDetector<> const detector{.largest_share = share};
    Vector ranker{std::vector<float>(parameters)};
    Detected state;
    for (std::uint32_t round = 1; round <= 60; ++round)
      detector.aggregate(all(clients.messages(ranker, round)), ranker, state);
    CHECK((state.refused > 0) == (share < 0.7));
    CHECK(ids(state.flagged) == (share < 0.7 ? std::set<ClientId>{} : clients.malicious));
  }
}

namespace {

struct OfNine : FedAvg {
  [[nodiscard]] std::size_t minimum_messages() const { return 9; }
};

}  // namespace

TEST_CASE("FlDetector keeps as many clients as the wrapped aggregator needs, and skips rounds with too few of them") {
  FlDetector<OfNine> const detector;
  CHECK(minimum_messages(detector) == 9);
  for (std::set<ClientId> const& malicious : {std::set<ClientId>{4}, std::set<ClientId>{4, 6}}) {
    Clients const clients{.malicious = malicious};
    Vector ranker{std::vector<float>(parameters)};
    State<FlDetector<OfNine>> state;
    for (std::uint32_t round = 1; round <= 50; ++round)
      detector.aggregate(all(clients.messages(ranker, round)), ranker, state);
    CHECK((state.refused > 0) == (malicious.size() == 2));
    CHECK(ids(state.flagged) == (malicious.size() == 2 ? std::set<ClientId>{} : malicious));
    CHECK(state.idle == 0);
    if (malicious.size() == 2) continue;
    // 9 messages arrive, and one of them is of the flagged client.
    Vector const before = ranker;
    detector.aggregate(all(clients.messages(ranker, 51, [](auto i, auto) { return i != 0; })), ranker, state);
    CHECK(same_bits(ranker, before));
    CHECK(state.idle == 1);
    CHECK(state.history.update.empty());  // a round without an update has no curvature
    detector.aggregate(all(clients.messages(ranker, 52)), ranker, state);
    CHECK_FALSE(same_bits(ranker, before));
    CHECK(state.history.consistent());
  }
}

TEST_CASE("A saved and restored state of FlDetector continues with the same bits") {
  Clients const clients{.malicious = {1, 8}};
  FlDetector<> const detector;
  for (std::uint32_t const middle : {0U, 5U, 25U, 45U}) {
    Vector ranker{std::vector<float>(parameters)};
    Detected state;
    for (std::uint32_t round = 1; round <= middle; ++round)
      detector.aggregate(all(clients.messages(ranker, round)), ranker, state);
    auto const bytes = field_bytes(state);
    FieldReader reader{std::span(bytes)};
    Detected restored;
    reader.read(restored);
    CHECK(restored.consistent());
    Vector other = ranker;
    for (std::uint32_t round = middle + 1; round <= 60; ++round) {
      detector.aggregate(all(clients.messages(ranker, round)), ranker, state);
      detector.aggregate(all(clients.messages(other, round)), other, restored);
    }
    CHECK(same_bits(ranker, other));
    CHECK(same_bits(state, restored));
    CHECK(ids(state.flagged) == clients.malicious);
  }
}

TEST_CASE("FlDetector refuses wrong parameters and a ranker of another size") {
  Clients const clients;
  Vector ranker{std::vector<float>(parameters)};
  auto const messages = clients.messages(ranker, 1);
  Detected state;
  auto const fails = [&](FlDetector<> const& detector, char const* text) {
    CHECK_THROWS_WITH(detector.aggregate(all(messages), ranker, state), ContainsSubstring(text));
  };
  fails({.window = 0}, "FlDetector: required a window of at least 1 round, got 0");
  fails({.references = 1}, "FlDetector: required at least 2 references, got 1");
  fails({.confirmations = 0}, "FlDetector: required at least 1 confirmation, got 0");
  fails({.largest_share = 1.0}, "FlDetector: required a largest_share in (0, 1), got 1");
  FlDetector<>{}.aggregate(all(messages), ranker, state);
  Vector wider{std::vector<float>(parameters + 1)};
  CHECK_THROWS_WITH(FlDetector<>{}.aggregate(all(messages), wider, state),
                    ContainsSubstring("FlDetector: required as many parameters as in the rounds before"));
}
