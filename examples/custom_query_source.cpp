// A custom query source: a few popular queries are asked most of the time (Zipf's law), as in the logs of search
// engines.
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <vector>

#include <fltr/click_models/cascade_model.hpp>
#include <fltr/concepts/query_source.hpp>
#include <fltr/core/power.hpp>
#include <fltr/data/normalize.hpp>
#include <fltr/data/synthetic_fold.hpp>
#include <fltr/metrics/evaluate.hpp>
#include <fltr/metrics/ndcg.hpp>
#include <fltr/partition/iid.hpp>
#include <fltr/presets/fpdgd.hpp>
#include <fltr/rankers/linear_ranker.hpp>

struct PopularQueries {
  fltr::QueryPool pool;

  std::size_t size() const { return pool.size(); }
  fltr::QueryView operator[](std::size_t i) const { return pool[i]; }
  // ⌊n^u⌋ for u uniform in [0, 1) is k with probability log(1 + 1/k) / log n, which is about 1 / (k log n).
  fltr::QueryView draw(fltr::Stream& stream) const {
    auto const k = static_cast<std::size_t>(fltr::math::pow(static_cast<double>(pool.size()), stream.uniform()));
    return pool[k - 1];
  }
};
static_assert(fltr::QuerySource<PopularQueries>);

// A client may be any type with these three members, and a vector of clients is a Population.
struct Searcher {
  fltr::ClientId id = 0;
  std::uint32_t interactions = 4;
  PopularQueries queries;
};

int main() {
  auto const fold = fltr::synthetic_fold(fltr::SyntheticShape::mq2007(), 0.5);
  auto const data = fltr::normalize(fold, fltr::Normalization::query);
  std::vector<Searcher> searchers;
  for (fltr::ClientId id = 0; id < 100; ++id) searchers.push_back({.id = id, .queries = {fltr::QueryPool(data.train)}});

  auto const federation = fltr::fpdgd(fltr::LinearRanker{data.train.feature_count()}, fltr::CascadeModel::perfect(3));
  auto const show = [&](char const* name, auto const& clients) {
    auto training = federation.start(clients);
    training.run(30);
    std::cout << name << " online nDCG@10 " << training.round().statistics.online_ndcg() << ", offline "
              << fltr::evaluate(training.ranker(), data.test, fltr::Ndcg{.cutoff = 10}) << '\n';
  };
  show("every query equally likely:", fltr::split_iid(data.train, {.clients = 100, .interactions = 4}));
  show("popular queries:           ", searchers);
}
