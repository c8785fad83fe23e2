// same bits: 9e0f81731b1f543b
// flags: -ffp-contract=off -ltbb
// optimisations: -O2
//
// Short trainings without users: FedIPS and its relatives from logged clicks, LambdaRank and LambdaMART from grades.
#include <fltr/core/fields.hpp>
#include <fltr/core/serial.hpp>
#include <fltr/data/normalize.hpp>
#include <fltr/data/synthetic_fold.hpp>
#include <fltr/learners/lambda_mart.hpp>
#include <fltr/learners/naive_clicks.hpp>
#include <fltr/learners/propensity_em.hpp>
#include <fltr/partition/logged_population.hpp>
#include <fltr/presets/fedips.hpp>
#include <fltr/presets/lambda_linear.hpp>
#include <fltr/rankers/linear_ranker.hpp>

#include <cstddef>
#include <vector>

#include "probe.hpp"

int main() {
  using namespace fltr;
  Probe probe;
  auto const fold = normalize(synthetic_fold(SyntheticShape::mslr(), 0.004, 1), Normalization::zscore);
  std::size_t const features = fold.train.feature_count();

  auto production = lambda_linear(QueryPool(fold.vali));
  production.advance();
  for (float const v : production.ranker().parameters()) probe.add(v);
  probe.part("LambdaRank");

  LoggedPopulation const clients(fold.train, production.ranker(), {.clients = 20});
  auto const train = [&](auto learner, auto optimizer, char const* name) {
    auto training = fedips(LinearRanker(features), learner, optimizer).start(clients, {.seed = 12});
    for (int i = 0; i < 5; ++i) training.advance();
    for (float const v : training.ranker().parameters()) probe.add(v);
    probe.part(name);
  };
  train(Ips<>{}, Sgd{}, "FedIPS");
  train(Ips<NegativeDcg>{}, Adam{}, "FedIPS, NegativeDcg, Adam");
  train(Ips<NegativePrecision>{}, Yogi{}, "FedIPS, NegativePrecision, Yogi");
  train(NaiveClicks<>{}, Adagrad{}, "NaiveClicks, Adagrad");
  train(PropensityEm{}, Sgd{}, "PropensityEm");

  LambdaMart const learner{.trees = 8, .leaves = 12, .min_data = 5, .query_fraction = 0.8, .feature_fraction = 0.7};
  probe.add_bytes(field_bytes(learner.train(Serial{}, fold.train, fold.vali, {.seed = 13})));
  probe.part("LambdaMART");
  probe.print();
}
