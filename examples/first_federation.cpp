// A federation of 1,000 clients learns to rank: `first_federation [folder with train.txt, vali.txt, test.txt]`.
#include <fltr/fltr.hpp>

#include <fmt/core.h>
#include <range/v3/view/take.hpp>

int main(int argc, char** argv) {
  auto const data = fltr::normalize(
      argc > 1 ? fltr::read_letor_fold(argv[1]) : fltr::synthetic_fold(fltr::SyntheticShape::mq2007(), 0.5),
      fltr::Normalization::query);
  auto const federation = fltr::make_federation(
      fltr::LinearRanker{data.train.feature_count()}, fltr::CascadeModel::perfect(data.train.grade_count()),
      fltr::Pdgd{.learning_rate = 0.1F}, fltr::FedAvg{}, fltr::GammaNoise{.epsilon = 4.5, .sensitivity = 5.0});
  auto const clients = fltr::split_iid(data.train, {.clients = 1000, .interactions = 4});
  for (auto const& round : federation.rounds(clients, {.seed = 7}) | ranges::views::take(10))
    fmt::print("{:4} {:.4f}\n", round.number, fltr::evaluate(round.ranker, data.test, fltr::Ndcg{.cutoff = 10}));
}
