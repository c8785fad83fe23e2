// An aggregator of one's own: the server keeps a momentum. It streams, because it names a Sum: no message is kept, and
// a million clients cost no more memory than one. What it remembers between rounds is its State, not a member.
#include <cstddef>
#include <vector>

#include <fltr/fltr.hpp>

#include <fmt/core.h>
#include <range/v3/view/take.hpp>

struct ServerMomentum {
  using Sum = fltr::WeightSum;
  struct State {
    std::vector<double> velocity;
    auto fields(auto&& visit) { return visit(velocity); }
  };

  double momentum = 0.9;

  fltr::WeightSum sum(fltr::ParametricRanker auto const& ranker) const { return fltr::weight_sum_for(ranker); }

  void aggregate(fltr::WeightSum const& total, fltr::ParametricRanker auto& ranker, State& state) const {
    auto const weights = ranker.parameters();
    state.velocity.resize(weights.size());
    for (std::size_t i = 0; i < weights.size(); ++i) {
      double const old = static_cast<double>(weights[i]);
      state.velocity[i] = momentum * state.velocity[i] + (total.values[i] / total.weight - old);
      weights[i] = static_cast<float>(old + state.velocity[i]);
    }
  }
};
static_assert(fltr::Aggregator<ServerMomentum>);

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
  show("momentum", averaging.with_aggregator(ServerMomentum{}));
}
