// Offline evaluation (score, top ten, nDCG) of a linear ranker on one core, per query, compared with reading the test
// matrix once.
#include <cstddef>
#include <string>
#include <vector>

#include <fltr/metrics/evaluate.hpp>
#include <fltr/metrics/ndcg.hpp>
#include <fltr/rankers/linear_ranker.hpp>

#include "hot_paths/suites.hpp"
#include "support/baselines.hpp"
#include "support/fixed_shape.hpp"
#include "support/side_by_side.hpp"

namespace fltr::benchmarks {

std::vector<Row> evaluation(std::size_t rounds) {
  SideBySide bench(rounds);
  auto const small = fixed_shape(338, 40, 46, 3);
  auto const large = fixed_shape(2000, 125, 136, 5);
  auto const small_ranker = with_random_weights(LinearRanker(46), 1.0F);
  auto const large_ranker = with_random_weights(LinearRanker(136), 1.0F);
  auto const compare = [&bench](std::string const& name, Dataset const& data, LinearRanker const& ranker) {
    auto const queries = static_cast<double>(data.size());
    std::uint64_t const calls = 1 + 1'000'000 / data.document_count();
    bench.baseline({"stream the test part, " + name, queries, calls, [&data] { stream_all(data); }});
    bench.add({"evaluate nDCG@10, " + name, queries, calls,
               [&] { ankerl::nanobench::doNotOptimizeAway(evaluate(ranker, data, Ndcg{.cutoff = 10})); }},
              "stream the test part, " + name);
  };
  compare("MQ2007 (338 x 40 x 46)", small, small_ranker);
  compare("MSLR-WEB10K (2,000 x 125 x 136)", large, large_ranker);
  return bench.run();
}

}  // namespace fltr::benchmarks
