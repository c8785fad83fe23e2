// A custom execution: blocks of clients run on threads of std::async instead of oneTBB. The results have the same bits,
// because they are merged in the order of reduce_tree.
#include <algorithm>
#include <cstddef>
#include <future>
#include <iostream>
#include <optional>
#include <utility>
#include <vector>

#include <fltr/click_models/cascade_model.hpp>
#include <fltr/concepts/execution.hpp>
#include <fltr/data/normalize.hpp>
#include <fltr/data/synthetic_fold.hpp>
#include <fltr/metrics/evaluate.hpp>
#include <fltr/metrics/ndcg.hpp>
#include <fltr/partition/iid.hpp>
#include <fltr/presets/fpdgd.hpp>
#include <fltr/rankers/linear_ranker.hpp>

struct AsyncThreads {
  static constexpr bool shares_memory = true;  // all threads see the memory of the caller
  std::size_t threads = 4;

  template <class Leaf>
  auto reduce(std::size_t blocks, Leaf const& leaf) const {
    std::vector<std::optional<decltype(leaf(0))>> results(blocks);
    std::vector<std::future<void>> running;
    for (std::size_t t = 0; t < threads; ++t)
      running.push_back(std::async(std::launch::async, [&, t] {
        for (std::size_t block = t; block < blocks; block += threads) results[block].emplace(leaf(block));
      }));
    for (auto& thread : running) thread.wait();
    for (auto& thread : running) thread.get();  // an exception of a leaf reaches the caller
    return fltr::reduce_tree(0, blocks, [&](std::size_t block) { return std::move(*results[block]); });
  }
};
static_assert(fltr::Execution<AsyncThreads>);

int main() {
  auto const fold = fltr::synthetic_fold(fltr::SyntheticShape::mq2007(), 0.5);
  auto const data = fltr::normalize(fold, fltr::Normalization::query);
  auto const trained = [&](auto const& federation) {
    auto training = federation.start(fltr::split_iid(data.train, {.clients = 100, .interactions = 4}));
    training.run(30);
    return training.ranker();
  };
  auto const federation = fltr::fpdgd(fltr::LinearRanker{data.train.feature_count()}, fltr::CascadeModel::perfect(3));
  auto const serial = trained(federation);
  auto const parallel = trained(federation.with_execution(AsyncThreads{}));
  std::cout << "nDCG@10 " << fltr::evaluate(parallel, data.test, fltr::Ndcg{.cutoff = 10}) << '\n'
            << "same bits as on one thread: "
            << (std::ranges::equal(serial.parameters(), parallel.parameters()) ? "yes" : "no") << '\n';
}
