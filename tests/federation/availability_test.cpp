// Clients drop out: before or during local work, after it, by a trace, or because they are slow.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <fltr/aggregators/fed_avg.hpp>
#include <fltr/click_models/cascade_model.hpp>
#include <fltr/click_models/no_clicks.hpp>
#include <fltr/core/normal_cdf.hpp>
#include <fltr/federation/make_federation.hpp>
#include <fltr/formats/absences_reader.hpp>
#include <fltr/learners/pdgd.hpp>
#include <fltr/learners/personal.hpp>
#include <fltr/partition/dropout.hpp>
#include <fltr/partition/sampled.hpp>
#include <fltr/partition/stragglers.hpp>
#include <fltr/partition/with_absences.hpp>
#include <fltr/privatizers/gamma_noise.hpp>
#include <fltr/rankers/linear_ranker.hpp>
#include <fltr/rankers/split_neural_ranker.hpp>
#include <fltr/unlearners/fed_eraser.hpp>

#include "support/catch.hpp"
#include "support/same_bits.hpp"
#include "support/statistics.hpp"
#include "support/toy_dataset.hpp"

namespace {

using namespace fltr;
using Catch::Contains;
using fltr::testing::five_errors;
using fltr::testing::same_bits;
using fltr::testing::toy_dataset;

/// Client c sends the value 1 + c with the weight of its interactions.
struct SendsItsNumber {
  using Message = LocalWeights;
  static constexpr bool shows_lists = false;
  LocalWeights learn(auto const& ranker, auto const& client, auto&) const {
    return {std::vector<float>(ranker.parameters().size(), 1.0F + static_cast<float>(client.id)), client.interactions};
  }
};

std::vector<Client> clients_of_different_weight(std::uint32_t n) {
  std::vector<Client> all;
  for (std::uint32_t i = 0; i < n; ++i) all.push_back({i, 1 + i % 7, QueryPool()});
  return all;
}

auto numbers() { return make_federation(LinearRanker(3), NoClicks{}, SendsItsNumber{}, FedAvg{}); }

/// Whether client i reports in a round, by asking the population as a round does.
template <class P>
bool present(P const& population, std::uint64_t seed, std::uint32_t round, std::size_t i) {
  for (Phase const phase : {Phase::message, Phase::delivery}) {
    RoundPhase const at{round, phase, 0};
    Stream stream = Streams{.seed = seed, .round = round, .client = population[i].id}.of(at.purpose());
    if (!population.reports(at, i, stream)) return false;
  }
  return true;
}

}  // namespace

TEST_CASE("With any dropout the weights of the clients that report sum to 1") {
  auto const all = clients_of_different_weight(200);
  for (double const p : {0.0, 0.1, 0.5, 0.9, 1.0})
    for (double const lost : {0.0, 0.3}) {
      Dropout const population{all, p, 0.0, 0.0, lost};
      auto training = numbers().start(population, {.seed = 5});
      auto const start = training.ranker();
      for (std::uint32_t round = 1; round <= 3; ++round) {
        auto const before = training.ranker();
        training.advance();
        double weights = 0;
        double sum = 0;
        std::uint64_t reported = 0;
        for (std::size_t i = 0; i < all.size(); ++i)
          if (present(population, 5, round, i)) {
            ++reported;
            weights += all[i].interactions;
            sum += all[i].interactions * (1.0 + all[i].id);
          }
        auto const& statistics = training.round().statistics;
        CHECK(statistics.reported == reported);
        CHECK(statistics.dropped == all.size() - reported);
        CHECK(statistics.discarded == (reported == 0));
        if (reported == 0)
          CHECK(same_bits(training.ranker(), before));
        else  // the weights w / Σ w of the present clients: a missing or a double weight would shift the mean
          for (float const value : training.ranker().parameters()) CHECK(value == Approx(sum / weights).epsilon(1e-6));
      }
      double const expected = (1 - p) * (1 - lost);
      if (p == 1.0) CHECK(same_bits(training.ranker(), start));
      std::uint64_t present_clients = 0;  // over 100 rounds
      for (std::uint32_t round = 1; round <= 100; ++round)
        for (std::size_t i = 0; i < all.size(); ++i) present_clients += present(population, 5, round, i) ? 1U : 0U;
      CHECK(std::abs(static_cast<double>(present_clients) / 20'000.0 - expected) <= five_errors(expected, 20'000));
    }
}

TEST_CASE("The same seed gives the same drops, another seed gives others") {
  Dropout const population{clients_of_different_weight(100), 0.5};
  auto const reports = [&](std::uint64_t seed) {
    auto training = numbers().start(population, {.seed = seed});
    std::vector<float> values;
    for (int i = 0; i < 5; ++i) {
      training.advance();
      values.push_back(training.ranker().parameters()[0]);
    }
    return values;
  };
  CHECK(reports(1) == reports(1));
  CHECK_FALSE(reports(1) == reports(2));
}

TEST_CASE("A round with fewer reports than minimum_reports leaves the model as it was, bit by bit") {
  Dropout const population{clients_of_different_weight(40), 0.5};
  auto first = numbers().start(population);
  first.advance();
  std::uint64_t const reported = first.round().statistics.reported;
  REQUIRE(reported > 1);
  for (std::uint64_t const minimum : {reported, reported + 1}) {
    auto training = numbers().start(population, {.minimum_reports = minimum});
    auto const before = training.ranker();
    training.advance();
    CHECK(training.number() == 1);
    CHECK(training.round().statistics.discarded == (minimum > reported));
    CHECK(same_bits(training.ranker(), minimum > reported ? before : first.ranker()));
  }
}

TEST_CASE("A training counts its discarded rounds, also after it was restored") {
  Dropout const population{clients_of_different_weight(40), 1.0};
  auto const federation = numbers();
  auto training = federation.start(population);
  std::uint32_t seen = 0;
  training.run(3, [&](auto const& round) { CHECK(round.discarded_rounds == ++seen); });
  CHECK(training.discarded_rounds() == training.number());  // the ranker is the start model
  auto copy = federation.start(population);
  restore(copy, save(training));
  CHECK(copy.discarded_rounds() == 3);
  auto all = federation.start(clients_of_different_weight(40));
  all.run(3);
  CHECK(all.discarded_rounds() == 0);
}

TEST_CASE("A training in which every round would be discarded does not start") {
  struct NeedsFive : FedAvg {
    [[nodiscard]] std::size_t minimum_messages() const { return 5; }
  };
  auto const four = clients_of_different_weight(4);
  CHECK_NOTHROW(numbers().start(four, {.minimum_reports = 4}));
  CHECK_THROWS_WITH(numbers().start(four, {.minimum_reports = 5}),
                    "Training: required minimum_reports of at most 4, the number of clients, got 5");
  CHECK_NOTHROW(numbers().with_aggregator(NeedsFive{}).start(clients_of_different_weight(5)));
  CHECK_THROWS_WITH(
      numbers().with_aggregator(NeedsFive{}).start(four),
      "Training: required an aggregator with minimum_messages of at most 4, the number of clients, got 5");
}

TEST_CASE("After local work the client keeps what it learned, before or during it nothing") {
  auto const data = toy_dataset();
  std::vector<Client> clients;
  for (std::uint32_t i = 0; i < 4; ++i) clients.push_back({i, 3, QueryPool(data)});
  auto const federation =
      make_federation(SplitNeuralRanker(5, {.hidden = 4}), CascadeModel::perfect(3), Personal<Pdgd>{}, FedAvg{})
          .with_unlearner(FedEraser{.interval = 1});
  auto const run = [&](double before, double lost) {
    auto training = federation.start(Dropout{clients, before, 0.0, 0.0, lost});
    training.advance();
    return training;
  };
  auto const all = run(0, 0);
  auto const none = run(1, 0);
  auto const lost = run(0, 1);
  for (auto const* training : {&none, &lost}) {
    CHECK(training->round().statistics.reported == 0);
    CHECK(training->round().statistics.dropped == 4);
    CHECK(training->round().statistics.lists == 0);
    CHECK(same_bits(training->ranker(), federation.start(clients).ranker()));
  }
  for (std::size_t i = 0; i < 4; ++i) {
    CHECK(none.client_state(i).learner.own.empty());
    REQUIRE_FALSE(lost.client_state(i).learner.own.empty());
    CHECK(lost.client_state(i).learner.own == all.client_state(i).learner.own);
    // The unlearner has no record of a message that never arrived.
    CHECK(field_bytes(lost.client_state(i).kept) == field_bytes(none.client_state(i).kept));
    CHECK_FALSE(field_bytes(all.client_state(i).kept) == field_bytes(none.client_state(i).kept));
  }
}

TEST_CASE("A client has its own probability of dropping out") {
  Dropout const population{clients_of_different_weight(3), 0.5, 0.0, 0.0, 0.0, {0.0, 1.0, 0.0}};
  auto training = numbers().start(population);
  training.run(5);
  CHECK(training.round().statistics.reported == 2);
  CHECK(training.ranker().parameters()[0] == Approx((1.0 * 1 + 3.0 * 3) / 4));  // values 1 and 3, weights 1 and 3
  Stream stream;
  Dropout const wrong{clients_of_different_weight(3), 0.5, 0.0, 0.0, 0.0, {0.5}};
  CHECK_THROWS_WITH(wrong.reports({}, 0, stream), Contains("a probability for each of 3 clients, got 1"));
}

TEST_CASE("Noise that did not arrive makes a round more expensive") {
  GammaNoise const noise{.epsilon = 0.5, .sensitivity = 1.0};
  auto const price = [&](double p, double lost) {
    std::vector<Client> all;
    for (std::uint32_t i = 0; i < 100; ++i) all.push_back({i, 4, QueryPool()});
    auto training =
        numbers().with_privatizer(noise).start(Dropout{std::move(all), p, 0.0, 0.0, lost}, {.minimum_reports = 10});
    training.advance();
    auto const& statistics = training.round().statistics;
    // The oracle: the loss of a release in which only the reported clients added noise.
    PrivacyLoss const expected = noise.loss({.asked = 100,
                                             .reported = statistics.reported,
                                             .dimension = 3,
                                             .interactions = 4,
                                             .smallest_weight = 4,
                                             .largest_weight = 4});
    CHECK(training.round().privacy->epsilon_accounted == Approx(expected.epsilon_accounted));
    return training.round().privacy->epsilon_accounted;
  };
  double const complete = price(0, 0);
  CHECK(price(0.3, 0) > complete);
  CHECK(price(0, 0.3) > complete);
}

TEST_CASE("Clients are absent in the rounds of a trace") {
  auto const absences =
      parse_absences("when,client,first_round,last_round,x\nbefore,1,2,3,\nafter,2,2,2,\nduring,1,5,5,\n", "trace");
  CHECK(absences.client_count() == 2);
  Sampled const population{WithAbsences{clients_of_different_weight(4), absences}, 4};
  auto training = numbers().start(population);
  std::vector<std::uint64_t> reported;
  training.run(6, [&](auto const& round) { reported.push_back(round.statistics.reported); });
  CHECK(reported == std::vector<std::uint64_t>{4, 2, 3, 4, 3, 4});
  CHECK(absences.contain(2, 2, DropsOut::after));
  CHECK_FALSE(absences.contain(2, 2, DropsOut::before));
  CHECK(absences.contain(1, 5, DropsOut::before));

  auto const parse = [](char const* text) { return parse_absences(text, "trace"); };
  CHECK_THROWS_WITH(parse(""), Contains("expected a header line"));
  CHECK_THROWS_WITH(parse("client,first_round\n"), Contains("expected a column 'last_round'"));
  std::string const header = "client,first_round,last_round,when\n";
  auto const line = [&](char const* text) { return parse_absences(header + text, "trace"); };
  CHECK_THROWS_WITH(line("x,1,1,before\n"), Contains("trace:2:1: expected the id of a client"));
  CHECK_THROWS_WITH(line("1,0,1,before\n"), Contains("expected the number of a round, counted from 1"));
  CHECK_THROWS_WITH(line("1,3,2,before\n"), Contains("expected a last round of at least 3"));
  CHECK_THROWS_WITH(line("1,3,4,later\n"), Contains("expected before, during or after"));
  CHECK_THROWS_WITH(line("1,3,4,before\n1,4,5,after\n"), Contains("trace:3:3: expected rounds that no other line"));
  CHECK_THROWS_WITH(line("1,3,4\n"), Contains("expected 4 fields, got 3"));
}

TEST_CASE("Stragglers miss the deadline as often as the distribution of their times says") {
  std::vector<Client> all;
  for (std::uint32_t i = 0; i < 2000; ++i) all.push_back({i, 4, QueryPool()});
  // P(4 · exp(√(0.3² + 0.4²) z) > 6) = 1 − Φ(log(1.5) / 0.5) = 1 − Φ(0.810930…)
  Stragglers const population{all, 6.0, 1.0, 0.3, 0.4, 9};
  double const late = 1 - normal_cdf(0.81093021621632877);
  auto training = numbers().start(population);
  training.advance();
  auto const& statistics = training.round().statistics;
  CHECK(std::abs(static_cast<double>(statistics.dropped) / 2000 - late) < five_errors(late, 2000));

  // Without jitter the same clients are late in every round.
  Stragglers const steady{all, 4.0, 1.0, 0.3, 0.0, 9};
  for (std::size_t i = 0; i < 50; ++i) CHECK(present(steady, 1, 1, i) == present(steady, 1, 7, i));
  // A client that is slow or absent for another reason stays away.
  CHECK_FALSE(present(Stragglers{Dropout{all, 1.0}, 1e9}, 1, 1, 0));
  CHECK(present(Stragglers{all, 1e9}, 1, 1, 0));
}
