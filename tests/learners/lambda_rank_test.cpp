#include <fltr/learners/lambda_rank.hpp>

#include <cstddef>
#include <span>
#include <vector>

#include <fltr/aggregators/fed_avg.hpp>
#include <fltr/click_models/no_clicks.hpp>
#include <fltr/federation/client_work.hpp>
#include <fltr/federation/make_federation.hpp>
#include <fltr/metrics/evaluate.hpp>
#include <fltr/metrics/ndcg.hpp>
#include <fltr/partition/iid.hpp>
#include <fltr/rankers/linear_ranker.hpp>
#include <fltr/rankers/neural_ranker.hpp>

#include "support/catch.hpp"
#include "support/toy_dataset.hpp"

namespace {

using namespace fltr;
using fltr::testing::toy_dataset;

}  // namespace

TEST_CASE("A step of LambdaRank follows the negative gradient") {
  auto const data = toy_dataset(1, 12);
  LinearRanker const ranker(std::vector<float>{0.3F, 0.8F, -0.6F, 0.1F, -0.9F});
  NoState state;
  auto const message = simulated_message(LambdaRank{.learning_rate = 0.5F}, NoClicks{}, NoPrivacy{}, ranker,
                                         Client{0, 1, QueryPool(data)}, RoundInfo{1, 1, 1}, state);
  std::vector<float> scores(12);
  std::vector<double> gradients(12);
  ranker.score(data[0], scores);
  LambdaGradients{}(data[0], scores, std::span<double>(gradients), std::span<double>());
  for (std::size_t k = 0; k < 5; ++k) {
    double expected = static_cast<double>(ranker.parameters()[k]);
    for (std::size_t d = 0; d < 12; ++d) expected -= 0.5 * gradients[d] * static_cast<double>(data[0].row(d)[k]);
    CHECK(static_cast<double>(message.values[k]) == Approx(expected).epsilon(1e-5));
  }
}

TEST_CASE("LambdaRank learns from grades, with linear and neural rankers, centrally and federated") {
  auto const data = toy_dataset(100, 20);
  auto const learnt = [&](auto ranker, Iid clients) {
    auto training = make_federation(std::move(ranker), NoClicks{}, LambdaRank{.learning_rate = 0.1F}, FedAvg{})
                        .start(clients.split(data));
    double const before = evaluate(training.ranker(), data, Ndcg{});
    for (int i = 0; i < 10; ++i) training.advance();
    double const after = evaluate(training.ranker(), data, Ndcg{});
    CHECK(after > before);
    return after;
  };
  CHECK(learnt(LinearRanker(5), {.clients = 1, .interactions = 100}) > 0.97);
  CHECK(learnt(LinearRanker(5), {.clients = 25, .interactions = 20}) > 0.95);
  CHECK(learnt(NeuralRanker(5, {.hidden = 8}), {.clients = 1, .interactions = 300}) > 0.95);
}

TEST_CASE("A client without queries sends the broadcast ranker") {
  LinearRanker const ranker(std::vector<float>{1.0F, 2.0F});
  NoState state;
  auto const message = simulated_message(LambdaRank{}, NoClicks{}, NoPrivacy{}, ranker, Client{0, 3, QueryPool()},
                                         RoundInfo{1, 1, 1}, state);
  CHECK(std::ranges::equal(message.values, ranker.parameters()));
  CHECK(message.interactions == 0);
}
