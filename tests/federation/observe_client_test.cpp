#include <fltr/federation/observe_client.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include <fltr/click_guesses/guess_quality.hpp>
#include <fltr/click_guesses/higher_score.hpp>
#include <fltr/click_guesses/least_absolute_deviations.hpp>
#include <fltr/click_guesses/least_squares.hpp>
#include <fltr/data/query_sequence.hpp>
#include <fltr/learners/pdgd.hpp>
#include <fltr/privatizers/gamma_noise.hpp>
#include <fltr/privatizers/laplace_noise.hpp>
#include <fltr/privatizers/no_privacy.hpp>
#include <fltr/rankers/linear_ranker.hpp>

#include "support/catch.hpp"
#include "support/datasets.hpp"

namespace {

using namespace fltr;

/// A user with a secret: clicks the documents at these ranks.
struct Secret {
  std::vector<std::uint8_t> clicked;
  void click(std::span<Grade const> grades, std::span<std::uint8_t> clicks, Stream&) const {
    std::copy_n(clicked.begin(), grades.size(), clicks.begin());
  }
};

/// One query of 20 documents with 46 normal features and random grades, and a second one.
Dataset two_queries() {
  Stream stream(3);
  std::vector<std::vector<testing::Document>> queries(2, std::vector<testing::Document>(20));
  for (auto& query : queries) {
    for (auto& document : query) {
      document.grade = static_cast<int>(stream.below(3));
      for (int k = 0; k < 46; ++k) document.features.push_back(static_cast<float>(stream.normal()));
    }
  }
  return testing::dataset_of(queries, 46);
}

LinearRanker some_ranker() {
  Stream stream(4);
  std::vector<float> weights(46);
  for (float& w : weights) w = static_cast<float>(0.1 * stream.normal());
  return LinearRanker(weights);
}

Pdgd const learner{.negatives = Negatives::displayed, .mass = Mass::displayed, .list_order = ListOrder::sorted};

struct Asker {
  ClientId id;
  std::uint32_t interactions;
  QuerySequence queries;
};

ObservedClient observe(Dataset const& data, std::uint32_t query, auto const& users, auto const& privatizer,
                       ClientId id = 0, std::uint64_t seed = 1) {
  Asker const client{id, 1, {QueryPool(data, {query})}};
  return observe_client(learner, users, privatizer, some_ranker(), client,
                        RoundInfo{.seed = seed, .number = 1, .participants = 1000});
}

std::vector<std::uint8_t> guess_from(auto const& guess, std::vector<double> const& update,
                                     std::vector<DisplayedDocuments> const& lists) {
  LinearRanker const global = some_ranker();
  ObservedUpdate<LinearRanker> const observed{global, update, lists, {}};
  std::vector<std::uint8_t> clicks(observed.document_count());
  Stream stream(1);
  guess.guess(observed, clicks, stream);
  return clicks;
}

std::vector<std::uint8_t> const first_secret{1, 0, 0, 1, 0, 0, 0, 0, 0, 0};
std::vector<std::uint8_t> const second_secret{0, 0, 1, 0, 0, 0, 0, 1, 1, 0};

}  // namespace

TEST_CASE("An observed client has the sorted list, its user's clicks, and the message of the federation") {
  Dataset const data = two_queries();
  LinearRanker const global = some_ranker();
  auto const client = observe(data, 0, Secret{first_secret}, NoPrivacy{});
  REQUIRE(client.lists.size() == 1);
  REQUIRE(client.lists[0].size() == 10);
  CHECK(client.clicks == first_secret);
  std::vector<float> scores(20);
  global.score(data[0], scores);
  std::vector<float> of_list(10);
  global.score(client.lists[0].documents(), of_list);
  std::ranges::sort(scores, std::greater{});
  CHECK(std::ranges::equal(of_list, std::span(scores).first(10)));
  NoState state;
  Asker const same{0, 1, {QueryPool(data, {0})}};
  auto const message = simulated_message(learner, Secret{first_secret}, NoPrivacy{}, global, same,
                                         RoundInfo{.seed = 1, .number = 1, .participants = 1000}, state);
  CHECK(message.values == client.message.values);
}

TEST_CASE("The lists that a server observes have no grades") {
  Dataset const data = two_queries();
  auto const client = observe(data, 0, Secret{first_secret}, NoPrivacy{});
  for (Grade const grade : client.lists[0].documents().grades()) CHECK(grade == 0);
  for (Grade const grade : client.lists[0].documents().ideal()) CHECK(grade == 0);
}

TEST_CASE("Two secrets: without noise and with gamma noise, the message tells which one it was") {
  Dataset const data = two_queries();
  LinearRanker const global = some_ranker();
  for (auto const& secret : {first_secret, second_secret}) {
    auto const plain = observe(data, 0, Secret{secret}, NoPrivacy{});
    CHECK(guess_from(LeastSquares{}, update_of(global, plain.message), plain.lists) == secret);
    CHECK(guess_from(LeastAbsoluteDeviations{}, update_of(global, plain.message), plain.lists) == secret);
    // The scale is 2.5. With 1,000 clients the noise of a coordinate exceeds 1e-4 with probability
    // 1 − (1e-4 / 2.5)^(2/1000) ≈ 2.0 %: of 46
    // coordinates that is 0.9 on average. Least absolute deviations ignore a few unless their leverage is large.
    int right = 0;
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
      GammaNoise const noise{.epsilon = 1.2, .sensitivity = 3.0, .clip_at = ClipAt::delta};
      auto const noisy = observe(data, 0, Secret{secret}, noise, 0, seed);
      right += guess_from(LeastAbsoluteDeviations{}, update_of(global, noisy.message), noisy.lists) == secret ? 1 : 0;
    }
    CHECK(right >= 30);
  }
}

TEST_CASE("Two secrets: the message of another client does not depend on the target's secret") {
  // The control of the advantage: its guess about the target is the same for both secrets, bit for bit.
  Dataset const data = two_queries();
  LinearRanker const global = some_ranker();
  auto const target_a = observe(data, 0, Secret{first_secret}, NoPrivacy{});
  auto const target_b = observe(data, 0, Secret{second_secret}, NoPrivacy{});
  auto const control = observe(data, 1, Secret{first_secret}, NoPrivacy{}, 1);
  auto const update = update_of(global, control.message);
  CHECK(guess_from(LeastSquares{}, update, target_a.lists) == guess_from(LeastSquares{}, update, target_b.lists));
  CHECK(guess_from(HigherScore{}, update, target_a.lists) == guess_from(HigherScore{}, update, target_b.lists));
}

TEST_CASE("Two secrets: with local Laplace noise of epsilon 0.1, guesses hardly depend on the secret") {
  // By differential privacy, the probability of any event differs by a factor of at most e^0.1 between the secrets, so
  // the mean number of guesses of one document differs by at most (e^0.1 − 1) ≈ 0.105. With 400 draws per secret, the
  // difference of two shares has a standard deviation of at most √(2 · 0.25 / 400) = 0.035; 5 of them are 0.18.
  Dataset const data = two_queries();
  LinearRanker const global = some_ranker();
  LaplaceNoise const noise{.epsilon = 0.1, .sensitivity = 3.0};
  std::vector<double> share_a(10);
  std::vector<double> share_b(10);
  int const draws = 400;
  for (std::uint64_t seed = 1; seed <= draws; ++seed) {
    auto const a = observe(data, 0, Secret{first_secret}, noise, 0, seed);
    auto const b = observe(data, 0, Secret{second_secret}, noise, 0, seed + draws);
    auto const guess_a = guess_from(LeastSquares{}, update_of(global, a.message), a.lists);
    auto const guess_b = guess_from(LeastSquares{}, update_of(global, b.message), b.lists);
    for (std::size_t i = 0; i < 10; ++i) {
      share_a[i] += guess_a[i] / double{draws};
      share_b[i] += guess_b[i] / double{draws};
    }
  }
  for (std::size_t i = 0; i < 10; ++i) CHECK(std::abs(share_a[i] - share_b[i]) < 0.105 + 0.18);
}

TEST_CASE("A server that sees a sum regresses the mean; lists of the other clients complete it") {
  Dataset const data = two_queries();
  LinearRanker const global = some_ranker();
  auto const target = observe(data, 0, Secret{first_secret}, NoPrivacy{});
  auto const other = observe(data, 1, Secret{second_secret}, NoPrivacy{}, 1);
  WeightSum sum = weight_sum_for(global);
  sum.add(target.message);
  sum.add(other.message);
  auto const update = update_of(global, sum);
  auto const from_target = update_of(global, target.message);
  auto const from_other = update_of(global, other.message);
  for (std::size_t i = 0; i < update.size(); ++i)
    CHECK(update[i] == Approx((from_target[i] + from_other[i]) / 2).margin(1e-12));
  std::vector<std::uint8_t> clicks(10);
  Stream stream(1);
  LeastSquares{}.guess(ObservedUpdate<LinearRanker>{global, update, target.lists, other.lists}, clicks, stream);
  CHECK(clicks == first_secret);  // 20 documents, 46 features, no noise
}

TEST_CASE("The more clients a sum has, the less it tells about one of them") {
  // Each target is one of 30 secrets. Advantage of least squares against a control in its place, for 1 and 50 clients.
  Dataset const data = two_queries();
  LinearRanker const global = some_ranker();
  Stream draw(12);
  std::vector<double> advantages;
  for (std::uint32_t const clients : {1U, 50U}) {
    GuessAdvantage both;
    for (std::uint64_t seed = 1; seed <= 30; ++seed) {
      auto const secret = [&] {
        std::vector<std::uint8_t> clicks(10);
        for (auto& c : clicks) c = draw.bernoulli(0.3) ? 1 : 0;
        return Secret{clicks};
      };
      WeightSum rest = weight_sum_for(global);
      for (std::uint32_t i = 1; i < clients; ++i) rest.add(observe(data, 1, secret(), NoPrivacy{}, i + 1).message);
      auto const target = observe(data, 0, secret(), NoPrivacy{});
      auto const control = observe(data, 1, secret(), NoPrivacy{}, 1);
      auto const add = [&](ObservedClient const& client, GuessQuality& quality) {
        WeightSum sum = rest;
        sum.add(client.message);
        quality.add(GuessCounts::of(guess_from(LeastSquares{}, update_of(global, sum), target.lists), target.clicks));
      };
      add(target, both.target);
      add(control, both.control);
    }
    advantages.push_back(both.advantage());
  }
  // One client: all clicks are recovered, and the control is a guess without information, 0.5 with a standard deviation
  // of at most 0.5 / √30 = 0.09. 50 clients: the others' 49 updates are about 7 times as long as the target's.
  CHECK(advantages[0] > 0.5 - 5 * 0.09 / 2);
  CHECK(advantages[1] < advantages[0] - 0.15);
}

TEST_CASE("update_of refuses messages of another size and empty sums") {
  LinearRanker const global = some_ranker();
  CHECK_THROWS_WITH(update_of(global, LocalWeights{{1.0F}, 1}), ContainsSubstring("got 1"));
  CHECK_THROWS_WITH(update_of(global, weight_sum_for(global)), ContainsSubstring("required a sum of a weight above 0"));
}
