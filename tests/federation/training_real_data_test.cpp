#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include <fltr/click_models/cascade_model.hpp>
#include <fltr/data/fold.hpp>
#include <fltr/data/normalize.hpp>
#include <fltr/execution/threads.hpp>
#include <fltr/formats/letor_folds.hpp>
#include <fltr/learners/lambda_mart.hpp>
#include <fltr/metrics/evaluate.hpp>
#include <fltr/metrics/ndcg.hpp>
#include <fltr/partition/iid.hpp>
#include <fltr/presets/foltr_es.hpp>
#include <fltr/presets/fpdgd.hpp>
#include <fltr/privatizers/gamma_noise.hpp>
#include <fltr/privatizers/randomized_metric.hpp>
#include <fltr/rankers/linear_ranker.hpp>

#include "support/catch.hpp"
#include "support/real_data.hpp"

/// What the reference code of FPDGD reaches on real data, with a tolerance of several standard deviations over seeds.
namespace {

using namespace fltr;

using fltr::testing::real_data;

CascadeModel clicks_named(std::string const& name, std::size_t grades) {
  if (name == "perfect") return CascadeModel::perfect(grades);
  if (name == "navigational") return CascadeModel::navigational(grades);
  return CascadeModel::informational(grades);
}

struct Curve {
  double at10 = 0, at50 = 0, at100 = 0, online = 0;
  void add(Curve const& o) { at10 += o.at10, at50 += o.at50, at100 += o.at100, online += o.online; }
  void divide(double n) { at10 /= n, at50 /= n, at100 /= n, online /= n; }
};

Curve learn(Fold const& fold, std::string const& clicks, bool privacy, Initialization start, std::size_t clients,
            std::uint64_t seed) {
  auto const run = [&](auto const& federation) {
    auto training = federation.with_execution(Threads{}).start(
        split_iid(fold.train, {.clients = clients, .interactions = 4}), {.seed = seed});
    Curve curve;
    while (training.number() < 100) {
      training.advance();
      if (training.number() > 90) curve.online += training.round().statistics.online_ndcg() / 10;
      if (training.number() == 10) curve.at10 = evaluate(training.ranker(), fold.test, Ndcg{});
      if (training.number() == 50) curve.at50 = evaluate(training.ranker(), fold.test, Ndcg{});
    }
    curve.at100 = evaluate(training.ranker(), fold.test, Ndcg{});
    return curve;
  };
  auto const federation =
      fpdgd(LinearRanker(fold.train.feature_count(), start), clicks_named(clicks, fold.train.grade_count()));
  if (privacy)
    return run(federation.with_privatizer(GammaNoise{.epsilon = 4.5, .sensitivity = 5, .clip_at = ClipAt::delta}));
  return run(federation);
}

}  // namespace

TEST_CASE("MQ2008: FPDGD reaches the five-fold means of the reference code") {
  auto const folder = real_data("MQ2008");
  if (folder.empty()) return;
  struct Expected {
    char const* clicks;
    bool privacy;
    double offline, online, tolerance;
  };
  std::vector<Expected> const table{
      {"perfect", false, .6933, .4719, .006},       {"navigational", false, .6916, .4526, .006},
      {"informational", false, .6908, .4513, .006}, {"perfect", true, .6929, .4711, .012},
      {"navigational", true, .6909, .4531, .012},   {"informational", true, .6847, .4421, .012}};
  std::vector<Curve> means(table.size());
  for (auto const& path : fold_folders(folder)) {
    auto const fold = read_letor_fold(path);
    for (std::size_t i = 0; i < table.size(); ++i)
      for (std::uint64_t seed = 1; seed <= 3; ++seed)
        means[i].add(learn(fold, table[i].clicks, table[i].privacy, Initialization::random, 100, seed));
  }
  for (std::size_t i = 0; i < table.size(); ++i) {
    means[i].divide(15);
    INFO(table[i].clicks << (table[i].privacy ? " with privacy" : ""));
    CHECK(means[i].at100 == Approx(table[i].offline).margin(table[i].tolerance).epsilon(0));
    CHECK(means[i].online == Approx(table[i].online).margin(.01).epsilon(0));
  }
}

TEST_CASE("lambdarank-example: FPDGD follows the curves of the reference code") {
  auto const folder = real_data("lambdarank-example");
  if (folder.empty()) return;
  auto const fold = normalize(read_letor_fold(folder / "Fold1"), Normalization::query);
  struct Expected {
    char const* clicks;
    bool privacy;
    double at10, at50, at100, tolerance;
  };
  for (auto const& row :
       {Expected{"perfect", false, .733, .757, .758, .02}, Expected{"perfect", true, .742, .738, .747, .03},
        Expected{"navigational", false, .735, .745, .747, .02},
        Expected{"informational", false, .713, .727, .735, .02}}) {
    Curve mean;
    for (std::uint64_t seed = 1; seed <= 10; ++seed)
      mean.add(learn(fold, row.clicks, row.privacy, Initialization::random, 50, seed));
    mean.divide(10);
    INFO(row.clicks << (row.privacy ? " with privacy" : ""));
    CHECK(mean.at10 == Approx(row.at10).margin(row.tolerance).epsilon(0));
    CHECK(mean.at50 == Approx(row.at50).margin(row.tolerance).epsilon(0));
    CHECK(mean.at100 == Approx(row.at100).margin(row.tolerance).epsilon(0));
  }
}

TEST_CASE("MQ2008: FOLtR-ES reaches the MaxRR of the reference results") {
  auto const folder = real_data("MQ2008");
  if (folder.empty()) return;
  double perfect = 0;
  double navigational = 0;
  double informational = 0;
  for (auto const& path : fold_folders(folder)) {
    auto const fold = read_letor_fold(path);
    auto const run = [&](CascadeModel const& users) {
      auto training = foltr_es(LinearRanker(46), users)
                          .with_privatizer(RandomizedMetric::max_rr(0.9))
                          .with_execution(Threads{})
                          .start(split_iid(fold.train, {.clients = 2000, .interactions = 4}));
      double last = 0;
      while (training.number() < 250) {
        training.advance();
        if (training.number() > 240) last += training.round().statistics.objective() / 10;
      }
      return last;
    };
    perfect += run(CascadeModel::perfect(3)) / 5;
    navigational += run(CascadeModel::navigational(3)) / 5;
    informational += run(CascadeModel::informational(3)) / 5;
  }
  CHECK(perfect == Approx(.414).margin(.02).epsilon(0));
  CHECK(navigational == Approx(.464).margin(.02).epsilon(0));
  CHECK(informational == Approx(.722).margin(.02).epsilon(0));
}

TEST_CASE("LightGBM's example: LambdaMART reaches the nDCG of LightGBM at equal parameters") {
  auto const folder = real_data("lambdarank-example");
  if (folder.empty()) return;
  auto const fold = read_letor_fold(folder / "Fold1");
  double sum = 0;
  // With 50 test queries the nDCG of a single model depends on chance, so the test uses three learning rates.
  for (double const rate : {.095, .1, .105}) {
    LambdaMart const mart{.trees = 100, .leaves = 31, .learning_rate = rate, .min_data = 50, .min_hessian = 5};
    double const ndcg = evaluate(mart.train(Threads{}, fold.train), fold.test, Ndcg{});
    if (rate == .1) CHECK(std::abs(ndcg - 0.7478) < 0.02);
    sum += ndcg;
  }
  CHECK(std::abs(sum / 3 - 0.7478) < 0.02);  // LightGBM 4.6 at .1
}
