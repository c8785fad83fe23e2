// A custom partition: each client has the queries with a similar number of relevant documents, from easy to hard. The
// report shows how far the clients are from the whole. A combination with other numbers of interactions is one more call.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <numeric>
#include <utility>
#include <vector>

#include <fltr/click_models/cascade_model.hpp>
#include <fltr/concepts/population.hpp>
#include <fltr/data/normalize.hpp>
#include <fltr/data/synthetic_fold.hpp>
#include <fltr/metrics/evaluate.hpp>
#include <fltr/metrics/ndcg.hpp>
#include <fltr/partition/by_quantity.hpp>
#include <fltr/partition/describe.hpp>
#include <fltr/partition/shared_clients.hpp>
#include <fltr/partition/skew_table.hpp>
#include <fltr/presets/fpdgd.hpp>
#include <fltr/rankers/linear_ranker.hpp>

struct ByDifficulty {
  std::size_t clients = 5;

  // A Partitioner has one function. The result is any Population: here a list of clients that its copies share.
  fltr::SharedClients<> split(fltr::Dataset const& data) const {
    std::vector<std::uint32_t> order(data.size());
    std::iota(order.begin(), order.end(), 0U);
    std::ranges::stable_sort(order, std::ranges::greater(), [&](std::uint32_t q) {
      return std::ranges::count_if(data[q].grades(), [](fltr::Grade grade) { return grade > 0; });
    });
    std::vector<fltr::Client> all;
    for (std::size_t i = 0; i < clients; ++i) {
      std::vector<std::uint32_t> own(order.begin() + static_cast<std::ptrdiff_t>(i * order.size() / clients),
                                     order.begin() + static_cast<std::ptrdiff_t>((i + 1) * order.size() / clients));
      all.push_back({.id = static_cast<fltr::ClientId>(i), .interactions = 5, .queries = {data, std::move(own)}});
    }
    return fltr::SharedClients<>(std::move(all));
  }
};
static_assert(fltr::Partitioner<ByDifficulty>);

int main() {
  auto const fold = fltr::synthetic_fold(fltr::SyntheticShape::mq2007(), 0.5);
  auto const data = fltr::normalize(fold, fltr::Normalization::query);
  auto const clients = fltr::ByQuantity{.interactions = {1, 3, 5, 7, 9}}.around(ByDifficulty{}.split(data.train));
  std::cout << fltr::table(fltr::describe(clients));

  auto const federation = fltr::fpdgd(fltr::LinearRanker{data.train.feature_count()}, fltr::CascadeModel::perfect(3));
  auto training = federation.start(clients);
  training.run(30);
  std::cout << "nDCG@10 after 30 rounds: " << fltr::evaluate(training.ranker(), data.test, fltr::Ndcg{.cutoff = 10})
            << '\n';
}
