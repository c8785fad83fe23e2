// 100 clients learn one ranker together, with noise on what they send: first_federation [FOLDER]
// FOLDER holds train.txt, vali.txt and test.txt in LETOR format; without it, the data is synthetic.
#include <exception>
#include <iostream>

#include <fltr/fltr.hpp>

#include <range/v3/view/take.hpp>

int main(int argc, char** argv) try {
  if (argc > 2 || (argc == 2 && argv[1][0] == '-')) {
    std::cerr << "usage: first_federation [FOLDER with train.txt, vali.txt and test.txt]\n";
    return 2;
  }
  auto const fold = argc == 2 ? fltr::read_letor_fold(argv[1]) : fltr::synthetic_fold(fltr::SyntheticShape::mq2007());
  auto const data = fltr::normalize(fold, fltr::Normalization::query);
  auto const ndcg = [&](auto const& ranker) { return fltr::evaluate(ranker, data.test, fltr::Ndcg{.cutoff = 10}); };

  fltr::LinearRanker const start{data.train.feature_count()};
  auto const federation = fltr::make_federation(start, fltr::CascadeModel::perfect(data.train.grade_count()),
                                                fltr::Pdgd{.learning_rate = 0.1F}, fltr::FedAvg{},
                                                fltr::GammaNoise{.epsilon = 4.5, .sensitivity = 5.0});
  auto const clients = fltr::split_iid(data.train, {.clients = 100, .interactions = 4});
  std::cout << "round nDCG@10\n0 " << ndcg(start) << '\n';
  for (auto const& round : federation.rounds(clients, {.seed = 7}) | ranges::views::take(10))
    std::cout << round.number << ' ' << ndcg(round.ranker) << '\n';
} catch (std::exception const& error) {
  std::cerr << "first_federation: error: " << error.what() << '\n';
  return 1;
}
