// A user program with all public headers and the built-in methods, so that their loops are instantiated. It is
// compiled, but not run.
#include <fltr/fltr.hpp>

int main() {
  auto const data =
      fltr::normalize(fltr::synthetic_fold(fltr::SyntheticShape::mq2007(), 0.1), fltr::Normalization::query);
  auto const features = data.train.feature_count();
  auto const clicks = fltr::CascadeModel::informational(data.train.grade_count());
  auto const clients = fltr::split_iid(data.train, {.clients = 100, .interactions = 4});
  fltr::Ndcg const ndcg{.cutoff = 10};
  double sum = 0.0;

  auto const noise = fltr::GammaNoise{.epsilon = 4.5, .sensitivity = 5.0};
  auto linear =
      fltr::fpdgd(fltr::LinearRanker(features), clicks, {}, noise).with_execution(fltr::Threads{2}).start(clients);
  linear.advance();
  sum += fltr::evaluate(linear.ranker(), data.test, ndcg);

  auto neural = fltr::fpdgd(fltr::NeuralRanker(features), clicks).start(clients);
  neural.advance();
  sum += fltr::evaluate(neural.ranker(), data.test, ndcg);

  auto evolution = fltr::foltr_es(fltr::LinearRanker(features), clicks).start(clients);
  evolution.advance();
  sum += fltr::evaluate(evolution.ranker(), data.test, ndcg);

  fltr::Sampled const unreliable{fltr::Dropout{clients, 0.1}, 10};
  auto local_noise = fltr::make_federation(fltr::LinearRanker(features), clicks, fltr::Pdgd{},
                                           fltr::FedOpt<fltr::Adam>{}, fltr::Chain(fltr::Clip{}, fltr::GaussianNoise{}))
                         .start(unreliable);
  local_noise.advance();
  sum += fltr::evaluate(local_noise.ranker(), data.test, ndcg);

  fltr::LoggedPopulation const logs(data.train, linear.ranker(), {.clients = 100});
  auto logged = fltr::fedips(fltr::LinearRanker(features)).start(logs);
  logged.advance();
  sum += fltr::evaluate(logged.ranker(), data.test, ndcg);

  auto const forest = fltr::LambdaMart{.trees = 10}.train(fltr::Serial{}, data.train, data.vali);
  sum += fltr::evaluate(forest, data.test, ndcg);
  return sum > 0.0 ? 0 : 1;
}
