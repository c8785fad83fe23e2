#include <fltr/learners/ips.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <fltr/click_models/no_clicks.hpp>
#include <fltr/federation/client_work.hpp>
#include <fltr/learners/naive_clicks.hpp>
#include <fltr/partition/logged_population.hpp>
#include <fltr/partition/logging_options.hpp>
#include <fltr/partition/recorded_population.hpp>
#include <fltr/privatizers/no_privacy.hpp>
#include <fltr/rankers/linear_ranker.hpp>
#include <fltr/rankers/neural_ranker.hpp>

#include "support/catch.hpp"
#include "support/toy_dataset.hpp"

namespace {

using namespace fltr;
using fltr::testing::toy_dataset;

/// h(d) by its definition, without the document itself.
template <class R>
double hinge(R const& ranker, QueryView query, std::size_t document) {
  std::vector<float> scores(query.document_count());
  ranker.score(query, scores);
  double h = 0;
  for (std::size_t d = 0; d < scores.size(); ++d)
    if (d != document)
      h += std::max(0.0, 1.0 - (static_cast<double>(scores[document]) - static_cast<double>(scores[d])));
  return h;
}

LinearRanker const& some_ranker() {
  static LinearRanker const ranker(std::vector<float>{0.3F, 0.8F, -0.6F, 0.1F, -0.9F});
  return ranker;
}

struct Estimate {
  double mean = 0;
  double error = 0;  ///< standard error of the mean
};

/// The weighted loss of the clicked documents, per list.
template <class Weight>
Estimate estimate(LoggedPopulation const& clients, Dataset const& data, std::size_t sessions, Weight const& weight) {
  double sum = 0;
  double squares = 0;
  double count = 0;
  ClickLog buffer;
  for (std::uint32_t round = 1; count < static_cast<double>(sessions); ++round) {
    auto const& log = clients[0].log(Streams{5, round, 0}, buffer);
    for (std::size_t list = 0; list < log.size(); ++list) {
      double value = 0;
      for (Impression const& s : log[list].shown)
        if (s.clicked) value += weight(s) * hinge(some_ranker(), data[log[list].query], s.document);
      sum += value;
      squares += value * value;
      ++count;
    }
  }
  double const mean = sum / count;
  return {mean, std::sqrt((squares / count - mean * mean) / count)};
}

template <class L, class R>
LocalWeights message_of(L const& learner, R const& ranker, Dataset const& data, ClickLog const& log) {
  std::vector<ClickLog> const logs{log};
  NoState state;
  return simulated_message(learner, NoClicks{}, NoPrivacy{}, ranker, RecordedPopulation(data, logs)[0],
                           RoundInfo{1, 1, 1}, state);
}

/// A log with one click on one document of a query.
ClickLog one_click(std::uint32_t query, std::uint32_t document, float propensity) {
  ClickLog log;
  log.begin(query);
  log.add({document, 2, true, propensity});
  return log;
}

}  // namespace

TEST_CASE("The IPS estimate is unbiased over displayed documents, the naive estimate is not") {
  auto const data = toy_dataset(1, 12);
  QueryView const query = data[0];
  std::vector<double> const attractive = attractive_grades(3);
  for (double const gamma : {0.5, 1.0, 1.5, 2.0}) {
    LoggedPopulation const clients(
        data, LinearRanker(5),
        {.clients = 1, .displayed = 5, .clicks = 0xFFFFFFFFU, .most_lists = 100'000, .queries = 1, .exponent = gamma});
    double expected = 0;
    for (std::uint32_t const d : clients.displayed(0))
      expected += attractive[query.grades()[d]] * hinge(some_ranker(), query, d);
    auto const ips =
        estimate(clients, data, 100'000, [](Impression const& s) { return 1.0 / static_cast<double>(s.propensity); });
    auto const naive = estimate(clients, data, 100'000, [](Impression const&) { return 1.0; });
    INFO("gamma " << gamma << ": expected " << expected << ", IPS " << ips.mean << ", naive " << naive.mean);
    CHECK(std::abs(ips.mean - expected) < 4 * ips.error);
    CHECK(std::abs(naive.mean - expected) > 40 * naive.error);
  }
}

TEST_CASE("The steps of Ips are unbiased, with the rule that ends a round; those of NaiveClicks are not") {
  // At a rate near 0 a round moves the weights by −rate · Σ_clicks ∇h / p. A round ends by a rule that looks at clicks,
  // so a sum over a round is (lists in it) · (sum over a list) in the mean (Wald), and the ratio of means is unbiased.
  auto const data = toy_dataset(1, 12);
  QueryView const query = data[0];
  LoggedPopulation const clients(data, LinearRanker(5), {.clients = 1, .clicks = 10, .exponent = 1.5});
  constexpr double rate = 1e-4;
  constexpr std::uint32_t rounds = 20'000;
  std::size_t const k = 1;  // a weight
  double expected = 0;      // − Σ P(attractive) ∂h / ∂w_k over displayed documents
  for (std::uint32_t const d : clients.displayed(0)) {
    auto const h = [&](float change) {
      auto moved = some_ranker();
      moved.parameters()[k] += change;
      return hinge(moved, query, d);
    };
    expected -= attractive_grades(3)[query.grades()[d]] * (h(1e-3F) - h(-1e-3F)) / 2e-3;
  }
  auto const measured = [&](auto const& learner) {
    double moves = 0, lists = 0, mm = 0, ml = 0, ll = 0;
    NoState state;
    ClickLog buffer;
    for (std::uint32_t round = 1; round <= rounds; ++round) {
      auto const message =
          simulated_message(learner, NoClicks{}, NoPrivacy{}, some_ranker(), clients[0], RoundInfo{5, round, 1}, state);
      double const move =
          (static_cast<double>(message.values[k]) - static_cast<double>(some_ranker().parameters()[k])) / rate;
      auto const n = static_cast<double>(clients[0].log(Streams{5, round, 0}, buffer).size());
      moves += move, lists += n, mm += move * move, ml += move * n, ll += n * n;
    }
    double const ratio = moves / lists;
    double const variance = (mm - 2 * ratio * ml + ratio * ratio * ll) / rounds;  // of move − ratio · lists
    return Estimate{ratio, std::sqrt(variance / rounds) / (lists / rounds)};
  };
  auto const ips = measured(Ips<>{.learning_rate = static_cast<float>(rate)});
  auto const naive = measured(NaiveClicks<>{.learning_rate = static_cast<float>(rate)});
  INFO("expected " << expected << ", IPS " << ips.mean << " ± " << ips.error << ", naive " << naive.mean);
  CHECK(std::abs(ips.mean - expected) < 4 * ips.error + 0.01 * std::abs(expected));
  CHECK(std::abs(naive.mean - expected) > 20 * naive.error);
}

TEST_CASE("The loss over all documents is recovered if all are displayed, not if five are") {
  auto const data = toy_dataset(1, 12);
  QueryView const query = data[0];
  double expected = 0;
  for (std::size_t d = 0; d < 12; ++d)
    expected += attractive_grades(3)[query.grades()[d]] * hinge(some_ranker(), query, d);
  auto const with = [&](std::size_t displayed) {
    LoggedPopulation const clients(
        data, LinearRanker(5),
        {.clients = 1, .displayed = displayed, .clicks = 0xFFFFFFFFU, .most_lists = 100'000, .queries = 1});
    return estimate(clients, data, 100'000,
                    [](Impression const& s) { return 1.0 / static_cast<double>(s.propensity); });
  };
  auto const all = with(12);
  auto const five = with(5);
  CHECK(std::abs(all.mean - expected) < 4 * all.error);
  CHECK(std::abs(five.mean - expected) > 40 * five.error);
}

TEST_CASE("Additive losses: slopes are derivatives, values are bounds") {
  auto const check = [](auto const& g) {
    for (double const r : {1.0, 1.5, 3.0, 10.0, 100.0})
      CHECK(g.slope(r) == Approx((g.value(r + 1e-5) - g.value(r - 1e-5)) / 2e-5).epsilon(1e-5));
  };
  check(AverageRank{});
  check(NegativeDcg{});
  check(NegativePrecision{.cutoff = 5});
  for (std::size_t k : {1U, 5U, 10U})
    for (std::size_t r = 1; r < 30; ++r)
      CHECK(NegativePrecision{.cutoff = k}.value(static_cast<double>(r)) >= (r <= k ? -1.0 : 0.0) - 1e-12);
  CHECK(NegativeDcg::value(1) == Approx(-1.0));
  CHECK(NegativeDcg::value(3) == Approx(-0.5));
}

TEST_CASE("1 + the sum of hinges is never below the rank") {
  auto const data = toy_dataset(5, 12);
  std::vector<float> scores(12);
  std::vector<float> score_gradient;
  for (std::size_t q = 0; q < data.size(); ++q) {
    some_ranker().score(data[q], scores);
    for (std::size_t d = 0; d < 12; ++d) {
      double rank = 1;
      for (float s : scores) rank += s > scores[d] ? 1 : 0;
      double const h = fltr::detail::hinge_score_gradient(scores, d, [](double) { return 1.0; }, score_gradient);
      CHECK(h == Approx(hinge(some_ranker(), data[q], d)).epsilon(1e-5));
      CHECK(1.0 + h >= rank);
    }
  }
}

TEMPLATE_TEST_CASE("A step follows the negative gradient of the weighted loss, by finite differences", "", AverageRank,
                   NegativeDcg, NegativePrecision) {
  auto const data = toy_dataset(3, 13);
  TestType const loss{};
  auto const check = [&](auto const& ranker) {
    ClickLog const log = one_click(1, 4, 0.25F);
    float const rate = 1e-2F;
    auto const message = message_of(Ips<TestType>{.learning_rate = rate, .loss = loss}, ranker, data, log);
    CHECK(message.interactions == 1);
    auto const value = [&](std::size_t k, float change) {
      auto moved = ranker;
      moved.parameters()[k] += change;
      return 4.0 * loss.value(1.0 + hinge(moved, data[1], 4));
    };
    double off = 0;
    double length = 0;
    for (std::size_t k = 0; k < ranker.parameters().size(); ++k) {
      double const gradient = (value(k, 1e-3F) - value(k, -1e-3F)) / 2e-3;
      double const step = (static_cast<double>(message.values[k]) - static_cast<double>(ranker.parameters()[k])) / 1e-2;
      off += (step + gradient) * (step + gradient);
      length += gradient * gradient;
    }
    REQUIRE(length > 0);
    CHECK(std::sqrt(off) < 0.02 * std::sqrt(length));
  };
  check(some_ranker());
  NeuralRanker neural(5, {.hidden = 4});
  Stream stream(3);
  neural.initialize(stream);
  for (float& w : neural.parameters()) w *= 4;  // otherwise its scores hardly differ
  check(neural);
}

TEST_CASE("Clicks have weight 1 / propensity, clipped; Ips requires propensities; NaiveClicks gives weight 1") {
  auto const data = toy_dataset(3, 13);
  auto const moved = [&](auto const& learner, float propensity) {
    auto const message = message_of(learner, some_ranker(), data, one_click(1, 4, propensity));
    return static_cast<double>(message.values[0]) - static_cast<double>(some_ranker().parameters()[0]);
  };
  double const one = moved(Ips<>{}, 1.0F);
  REQUIRE(one != 0.0);
  CHECK(moved(Ips<>{}, 0.125F) == Approx(8 * one).epsilon(1e-3));
  CHECK(moved(Ips<>{.clip = 0.5}, 0.125F) == Approx(2 * one).epsilon(1e-3));
  CHECK(moved(NaiveClicks<>{}, 0.125F) == Approx(one).epsilon(1e-6));
  CHECK(moved(NaiveClicks<>{}, Impression::unknown) == Approx(one).epsilon(1e-6));
  CHECK_THROWS_AS(moved(Ips<>{}, Impression::unknown), std::invalid_argument);
  CHECK_THROWS_AS(moved(Ips<>{.clip = 1.5}, 1.0F), std::invalid_argument);
  CHECK_THROWS_AS(moved(Ips<>{.learning_rate = -1.0F}, 1.0F), std::invalid_argument);
}

TEST_CASE("A log without a click does not change the weights") {
  auto const data = toy_dataset(3, 13);
  ClickLog log;
  log.begin(0);
  log.add({1, 1, false, 1.0F});
  auto const message = message_of(Ips<>{}, some_ranker(), data, log);
  CHECK(std::ranges::equal(message.values, some_ranker().parameters()));
}

TEST_CASE("There is one step per click, in the order of the log") {
  auto const data = toy_dataset(3, 13);
  ClickLog log;
  log.begin(2);
  log.add({3, 1, true, 1.0F});
  log.add({5, 2, false, 0.5F});
  log.add({7, 3, true, 0.25F});
  log.begin(0);
  log.add({1, 1, false, 1.0F});
  log.begin(1);
  log.add({4, 1, true, 1.0F});
  auto const at_once = message_of(Ips<>{}, some_ranker(), data, log);
  auto const after = [&](LinearRanker const& ranker, std::uint32_t query, std::uint32_t document, float p) {
    return LinearRanker(message_of(Ips<>{}, ranker, data, one_click(query, document, p)).values);
  };
  auto const expected = after(after(after(some_ranker(), 2, 3, 1.0F), 2, 7, 0.25F), 1, 4, 1.0F);
  CHECK(std::ranges::equal(at_once.values, expected.parameters()));
}
