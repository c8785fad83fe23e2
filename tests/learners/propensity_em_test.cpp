#include <fltr/learners/propensity_em.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <fltr/aggregators/fed_opt.hpp>
#include <fltr/click_models/no_clicks.hpp>
#include <fltr/federation/client_work.hpp>
#include <fltr/partition/logged_population.hpp>
#include <fltr/partition/recorded_population.hpp>
#include <fltr/presets/fedips.hpp>
#include <fltr/rankers/linear_ranker.hpp>

#include "support/catch.hpp"
#include "support/same_bits.hpp"
#include "support/toy_dataset.hpp"

namespace {

using namespace fltr;
using fltr::testing::same_bits;
using fltr::testing::toy_dataset;

/// The same documents with their grades in another order.
Dataset with_other_labels(Dataset const& data) {
  DatasetParts parts = data.parts();
  Stream stream(9);
  stream.shuffle(std::span(parts.grades));
  return Dataset(std::move(parts));
}

}  // namespace

TEST_CASE("ExaminationEstimate: without data every position has the same propensity") {
  ExaminationEstimate const nothing;
  for (std::size_t k = 1; k < 8; ++k) {
    CHECK(nothing.theta(k) == 0.5);
    CHECK(nothing.propensity(k) == 1.0);
  }
}

TEST_CASE("PropensityEm: a round of EM by hand") {
  auto const data = toy_dataset(1, 3);
  // Position 1: shown twice, clicked once. Position 2: shown twice, never clicked.
  std::vector<ClickLog> logs(1);
  for (bool const clicked : {true, false}) {
    logs[0].begin(0);
    logs[0].add({1, 1, clicked, 1.0F});
    logs[0].add({0, 2, false, 0.5F});
  }
  ExaminationEstimate state;
  auto const client = RecordedPopulation(data, logs)[0];
  auto const message = simulated_message(PropensityEm{.learning_rate = 1.0F, .passes = 1}, NoClicks{}, NoPrivacy{},
                                         LinearRanker(5), client, RoundInfo{1, 1, 1}, state);
  // γ = 1/2, and one additional document of P(examined) = 1/2: 3 θ (1 − θ/2) = 3/2 (1 − θ/2) + θ/2 with one click of
  // two, whose root is 2/3, and 3 θ (1 − θ/2) = 1/2 (1 − θ/2) + θ without one.
  double const second = (2.25 - std::sqrt(2.25 * 2.25 - 3.0)) / 3.0;
  REQUIRE(state.thetas.size() == 2);
  CHECK(state.theta(1) == Approx(2.0 / 3.0).epsilon(1e-3));
  CHECK(state.theta(2) == Approx(second).epsilon(1e-3));
  CHECK(state.propensity(1) == 1.0);
  CHECK(state.propensity(2) == Approx(second * 1.5).epsilon(1e-3));
  // F moves with θ = 1/2, when an unclicked document is relevant with probability (1/4) / (3/4): towards 4/3 of 2 for
  // document 1 and 2/3 of 2 for document 0, away from 1 of 2, over 4 documents shown.
  for (std::size_t k = 0; k < 5; ++k) {
    double const expected =
        (1.0 / 3.0 * static_cast<double>(data[0].row(1)[k]) - 1.0 / 3.0 * static_cast<double>(data[0].row(0)[k])) / 4.0;
    CHECK(static_cast<double>(message.values[k]) == Approx(expected).margin(1e-6));
  }
  CHECK(state.intercept == Approx(0.0).margin(1e-12));
}

TEST_CASE("PropensityEm estimates the position bias of different users where click rates are misleading") {
  // The production ranker is good: upper positions get more clicks also because their documents are better.
  auto const data = toy_dataset(60, 12);
  LinearRanker const production(std::vector<float>{-0.3F, 0.6F, -0.2F, 0.5F, -0.4F});
  constexpr std::size_t users = 40;
  for (double const gamma : {0.5, 1.0}) {
    LoggedPopulation const clients(data, production, {.clients = users, .clicks = 40, .exponent = gamma});
    auto training = fedips(LinearRanker(5), PropensityEm{}).start(clients, {.seed = 1});
    std::vector<double> shown(5);
    std::vector<double> clicks(5);
    ClickLog buffer;
    for (std::uint32_t round = 1; round <= 150; ++round) {
      training.advance();
      for (std::uint32_t i = 0; i < users; ++i)
        for (Impression const& s : clients[i].log(Streams{1, round, i}, buffer).shown()) {
          shown[s.position - 1] += 1.0;
          clicks[s.position - 1] += s.clicked ? 1.0 : 0.0;
        }
    }
    auto const estimate = [&](std::size_t i, std::size_t k) {
      return training.client_states()[i].learner.propensity(k);
    };
    auto const truth = [&](std::size_t i, std::size_t k) {
      return std::pow(static_cast<double>(k), -clients.exponent_of(static_cast<ClientId>(i)));
    };
    double error = 0;        // of the estimates
    double error_rates = 0;  // of click rates relative to that of the first position
    for (std::size_t k = 2; k <= 5; ++k) {
      double estimated = 0;
      double expected = 0;
      for (std::size_t i = 0; i < users; ++i) {
        estimated += estimate(i, k) / users;
        expected += truth(i, k) / users;
      }
      double const rate = clicks[k - 1] / shown[k - 1] / (clicks[0] / shown[0]);
      INFO("gamma " << gamma << ", position " << k << ": " << estimated << " for " << expected << ", rates " << rate);
      CHECK(std::abs(std::log(estimated / expected)) < 0.6);
      error += std::abs(std::log(estimated / expected));
      error_rates += std::abs(std::log(rate / expected));
    }
    INFO("gamma " << gamma << ": " << error << " against " << error_rates);
    CHECK(error < 0.5 * error_rates);

    // The estimates differ by client: the exponent computed from the third propensity correlates with the true one.
    double x = 0, y = 0, xx = 0, yy = 0, xy = 0;
    for (std::size_t i = 0; i < users; ++i) {
      double const a = std::log(truth(i, 3));
      double const b = std::log(estimate(i, 3));
      x += a, y += b, xx += a * a, yy += b * b, xy += a * b;
    }
    double const n = users;
    double const correlation = (xy - x * y / n) / std::sqrt((xx - x * x / n) * (yy - y * y / n));
    CHECK(correlation > 0.7);
  }
}

TEST_CASE("PropensityEm uses clicks, positions and features, not grades or propensities") {
  auto const data = toy_dataset(30, 12);
  auto const other = with_other_labels(data);
  LoggedPopulation const simulated(data, LinearRanker(std::vector<float>{0, 1, 0, 1, 0}), {.clients = 20});
  std::vector<ClickLog> logs(20);
  std::vector<ClickLog> without(20);
  for (std::size_t i = 0; i < logs.size(); ++i) {
    static_cast<void>(simulated[i].log(Streams{1, 1, static_cast<std::uint32_t>(i)}, logs[i]));
    for (std::size_t list = 0; list < logs[i].size(); ++list) {
      without[i].begin(logs[i][list].query);
      for (Impression shown : logs[i][list].shown) {
        shown.propensity = Impression::unknown;
        without[i].add(shown);
      }
    }
  }
  auto const run = [&](Dataset const& set, std::vector<ClickLog> const& recorded) {
    auto training = fedips(LinearRanker(5), PropensityEm{}).start(RecordedPopulation(set, recorded));
    for (int round = 0; round < 5; ++round) training.advance();
    return training;
  };
  auto const expected = run(data, logs);
  auto const relabelled = run(other, logs);
  auto const nameless = run(data, without);
  REQUIRE_FALSE(std::ranges::equal(data.parts().grades, other.parts().grades));
  CHECK(same_bits(expected.ranker(), relabelled.ranker()));
  CHECK(same_bits(expected.ranker(), nameless.ranker()));
  for (std::size_t i = 0; i < logs.size(); ++i) {
    CHECK(same_bits(expected.client_states()[i].learner, relabelled.client_states()[i].learner));
    CHECK(same_bits(expected.client_states()[i].learner, nameless.client_states()[i].learner));
  }
}

TEST_CASE("EstimatedPropensities weight the clicks of their client") {
  auto const data = toy_dataset(30, 12);
  LoggedPopulation const clients(data, LinearRanker(5), {.clients = 3});
  auto estimation = fedips(LinearRanker(5), PropensityEm{}).start(clients);
  for (int i = 0; i < 20; ++i) estimation.advance();
  using States = std::remove_cvref_t<decltype(estimation.client_states())>;
  EstimatedPropensities<States> const propensity{&estimation.client_states()};
  for (ClientId c = 0; c < 3; ++c)
    for (std::uint32_t k = 1; k <= 5; ++k)
      CHECK(propensity(clients[c], Impression{0, k, true}) == estimation.client_states()[c].learner.propensity(k));
  CHECK_THROWS_AS(propensity(Client{3, 1, {}}, Impression{}), std::invalid_argument);
  CHECK_THROWS_AS(EstimatedPropensities<States>{}(clients[0], Impression{}), std::invalid_argument);
}
