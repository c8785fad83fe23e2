// A custom aggregator: the coordinate-wise median. A minority of clients cannot move a weight beyond the values of the
// other clients. The aggregator names no Sum, so it gathers: it receives all messages of a round at once, and its
// memory grows with the number of clients. FedAvg weights clients by their interactions; here every client counts once.
#include <iostream>
#include <span>

#include <fltr/click_models/cascade_model.hpp>
#include <fltr/concepts/aggregator.hpp>
#include <fltr/data/normalize.hpp>
#include <fltr/data/synthetic_fold.hpp>
#include <fltr/metrics/evaluate.hpp>
#include <fltr/metrics/ndcg.hpp>
#include <fltr/partition/iid.hpp>
#include <fltr/presets/fpdgd.hpp>
#include <fltr/rankers/linear_ranker.hpp>
#include <fltr/tensor.hpp>

struct CoordinateMedian {
  // as_tensor(messages) is a matrix with one row per client.
  void aggregate(std::span<fltr::ClientMessage<fltr::LocalWeights> const> messages,
                 fltr::ParametricRanker auto& ranker) const {
    fltr::parameters_tensor(ranker) = xt::median(fltr::as_tensor(messages), 0);
  }
};
static_assert(fltr::Aggregator<CoordinateMedian>);

int main() {
  auto const fold = fltr::synthetic_fold(fltr::SyntheticShape::mq2007(), 0.5);
  auto const data = fltr::normalize(fold, fltr::Normalization::query);
  auto const show = [&](char const* name, auto const& federation) {
    auto training = federation.start(fltr::split_iid(data.train, {.clients = 100, .interactions = 4}));
    training.run(30);
    std::cout << name << ' ' << fltr::evaluate(training.ranker(), data.test, fltr::Ndcg{.cutoff = 10}) << '\n';
  };
  auto const averaging = fltr::fpdgd(fltr::LinearRanker{data.train.feature_count()}, fltr::CascadeModel::perfect(3));
  show("FedAvg", averaging);
  show("median", averaging.with_aggregator(CoordinateMedian{}));
}
