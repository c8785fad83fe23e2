// Offline evaluation (score, top ten, nDCG) of a linear ranker on one core, compared with reading the test matrix once.
#include <cstddef>
#include <string>

#include <fltr/metrics/evaluate.hpp>
#include <fltr/metrics/ndcg.hpp>
#include <fltr/rankers/linear_ranker.hpp>

#include "support/fixed_shape.hpp"
#include "support/side_by_side.hpp"

namespace {

using namespace fltr;
using namespace fltr::benchmarks;

void compare(std::string const& title, std::size_t queries, std::size_t documents, std::size_t features, Grade grades) {
  auto const data = fixed_shape(queries, documents, features, grades);
  LinearRanker ranker(features);
  Stream random(2);
  for (float& w : ranker.parameters()) w = static_cast<float>(random.normal());
  SideBySide bench(title);
  bench.add("stream the test matrix", static_cast<double>(queries), [&] {
    float sum = 0;
    for (std::size_t q = 0; q < data.size(); ++q) sum += stream_features(data[q]);
    ankerl::nanobench::doNotOptimizeAway(sum);
  });
  bench.add("evaluate, nDCG@10", static_cast<double>(queries),
            [&] { ankerl::nanobench::doNotOptimizeAway(evaluate(ranker, data, Ndcg{.cutoff = 10})); });
  bench.run(21, 1 + 2'000'000 / (queries * documents));
}

}  // namespace

int main() {
  compare("MQ2007 test part: 338 queries of 40 x 46", 338, 40, 46, 3);
  compare("MSLR-WEB10K test part: 2,000 queries of 125 x 136", 2000, 125, 136, 5);
}
