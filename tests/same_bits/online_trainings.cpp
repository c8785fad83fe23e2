// same bits: 9ae53937324e0137
// flags: -ffp-contract=off -ltbb
// optimisations: -O2
//
// Short trainings from simulated clicks: FPDGD with a linear and a neural ranker, FOLtR-ES, and each privatizer.
#include <fltr/click_models/cascade_model.hpp>
#include <fltr/click_models/position_model.hpp>
#include <fltr/core/fields.hpp>
#include <fltr/data/normalize.hpp>
#include <fltr/data/synthetic_fold.hpp>
#include <fltr/metrics/evaluate.hpp>
#include <fltr/metrics/ndcg.hpp>
#include <fltr/partition/iid.hpp>
#include <fltr/presets/foltr_es.hpp>
#include <fltr/presets/fpdgd.hpp>
#include <fltr/privatizers/chain.hpp>
#include <fltr/privatizers/clip.hpp>
#include <fltr/privatizers/gamma_noise.hpp>
#include <fltr/privatizers/gaussian_noise.hpp>
#include <fltr/privatizers/laplace_noise.hpp>
#include <fltr/privatizers/randomized_metric.hpp>
#include <fltr/rankers/linear_ranker.hpp>
#include <fltr/rankers/neural_ranker.hpp>

#include <cstddef>

#include "probe.hpp"

int main() {
  using namespace fltr;
  Probe probe;
  auto const fold = normalize(synthetic_fold(SyntheticShape::mq2007(), 0.03, 1), Normalization::query);
  std::size_t const features = fold.train.feature_count();
  for (std::size_t q = 0; q < fold.train.size(); ++q)
    for (std::size_t d = 0; d < fold.train[q].document_count(); ++d)
      for (float const v : fold.train[q].row(d)) probe.add(v);
  probe.part("synthetic data");

  auto const clients = split_iid(fold.train, {.clients = 20, .interactions = 4});
  auto const train = [&](auto const& federation, int rounds, char const* name) {
    auto training = federation.start(clients, {.seed = 11});
    for (int i = 0; i < rounds; ++i) training.advance();
    for (float const v : training.ranker().parameters()) probe.add(v);
    probe.add(evaluate(training.ranker(), fold.test, Ndcg{.cutoff = 10}));
    probe.part(name);
  };
  auto const clicks = CascadeModel::informational(3);
  auto const linear = fpdgd(LinearRanker(features), clicks);
  train(linear, 10, "FPDGD, linear");
  train(fpdgd(NeuralRanker(features, {.hidden = 12}), clicks), 5, "FPDGD, neural");
  train(fpdgd(LinearRanker(features), PositionModel{{0.1, 0.5, 1.0}, 0.7}), 5, "FPDGD, position model");
  train(linear.with_privatizer(Clip{}), 5, "Clip");
  train(linear.with_privatizer(GammaNoise{}), 5, "GammaNoise");
  train(linear.with_privatizer(LaplaceNoise{}), 5, "LaplaceNoise");
  train(linear.with_privatizer(GaussianNoise{}), 5, "GaussianNoise");
  train(linear.with_privatizer(Chain(Clip{}, GammaNoise{})), 5, "Chain");
  auto const evolution = foltr_es(LinearRanker(features), clicks);
  train(evolution, 10, "FOLtR-ES");
  train(evolution.with_privatizer(RandomizedMetric::max_rr(0.9)), 10, "RandomizedMetric");
  probe.print();
}
