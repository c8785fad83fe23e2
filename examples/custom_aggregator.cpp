// An aggregator of one's own: the coordinate-wise median. A minority of clients cannot move a coordinate beyond the
// values of the other clients. The aggregator gathers, because it names no Sum: it sees all messages of a round at
// once, and its memory grows with the clients. as_tensor(messages) is a matrix with one row per client.
//
// LocalWeights also says how many interactions stand behind the weights. FedAvg weights the clients by this number. The
// plain median ignores it: every client counts once.
#include <span>

#include <fltr/fltr.hpp>
#include <fltr/tensor.hpp>

#include <fmt/core.h>
#include <range/v3/view/take.hpp>

struct CoordinateMedian {
  void aggregate(std::span<fltr::Sent<fltr::LocalWeights> const> messages, fltr::ParametricRanker auto& ranker) const {
    fltr::parameters_tensor(ranker) = xt::median(fltr::as_tensor(messages), 0);
  }
};
static_assert(fltr::Aggregator<CoordinateMedian>);

int main(int argc, char**) {
  if (argc > 1) {
    fmt::print(stderr, "usage: custom_aggregator, without arguments\n");
    return 2;
  }
  auto const data =
      fltr::normalize(fltr::synthetic_fold(fltr::SyntheticShape::mq2007(), 0.5), fltr::Normalization::query);
  auto const clients = fltr::split_iid(data.train, {.clients = 100, .interactions = 4});
  auto const show = [&](char const* name, auto const& federation) {
    for (auto const& round : federation.rounds(clients) | ranges::views::take(30))
      if (round.number % 15 == 0)
        fmt::print("{:8} {:4} {:.4f}\n", name, round.number,
                   fltr::evaluate(round.ranker, data.test, fltr::Ndcg{.cutoff = 10}));
  };
  auto const averaging = fltr::fpdgd(fltr::LinearRanker{data.train.feature_count()}, fltr::CascadeModel::perfect(3));
  show("FedAvg", averaging);
  show("median", averaging.with_aggregator(CoordinateMedian{}));
}
