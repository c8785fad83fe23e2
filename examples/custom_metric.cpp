// A custom metric: rank-biased precision (Moffat and Zobel 2008), (1 − p) Σ_i p^i · [document i is relevant].
#include <cstddef>
#include <cstdint>
#include <iostream>

#include <fltr/click_models/cascade_model.hpp>
#include <fltr/concepts/metric.hpp>
#include <fltr/data/normalize.hpp>
#include <fltr/data/synthetic_fold.hpp>
#include <fltr/metrics/evaluate.hpp>
#include <fltr/partition/iid.hpp>
#include <fltr/presets/fpdgd.hpp>
#include <fltr/rankers/linear_ranker.hpp>

struct RankBiasedPrecision {
  std::size_t cutoff = 0;    ///< 0: all ranks
  double persistence = 0.8;  ///< p: the probability that a user looks at the next document too

  double measure(fltr::RankedList list) const {
    double sum = 0.0;
    double looks = 1.0 - persistence;
    for (fltr::Grade const grade : list.grades) {
      if (grade > 0) sum += looks;
      looks *= persistence;
    }
    return sum;
  }
};
static_assert(fltr::Metric<RankBiasedPrecision>);

int main() {
  auto const fold = fltr::synthetic_fold(fltr::SyntheticShape::mq2007(), 0.5);
  auto const data = fltr::normalize(fold, fltr::Normalization::query);
  auto const federation = fltr::fpdgd(fltr::LinearRanker{data.train.feature_count()}, fltr::CascadeModel::perfect(3));
  auto training = federation.start(fltr::split_iid(data.train, {.clients = 100, .interactions = 4}));
  std::cout << "round p=0.5 p=0.8 p=0.95\n";
  for (std::uint32_t rounds : {0U, 10U, 10U}) {
    training.run(rounds);
    std::cout << training.number();
    for (double const p : {0.5, 0.8, 0.95})
      std::cout << ' ' << fltr::evaluate(training.ranker(), data.test, RankBiasedPrecision{.persistence = p});
    std::cout << '\n';
  }
}
