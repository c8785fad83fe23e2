// A tree of LambdaMART with 64 leaves at the size of a tenth of MSLR-WEB10K's documents (100,000 x 136), on one thread
// and on two: gradients, histograms, splits and new scores. Compared with reading the binned features once; a tree
// reads them about three times.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include <fltr/boosting/query_views.hpp>
#include <fltr/core/serial.hpp>
#include <fltr/data/synthetic_fold.hpp>
#include <fltr/execution/threads.hpp>
#include <fltr/learners/lambda_mart.hpp>

#include "hot_paths/suites.hpp"
#include "support/nanobench.hpp"
#include "support/side_by_side.hpp"
#include "support/two_cores.hpp"

namespace fltr::benchmarks {

namespace {

/// The sum of all bytes, eight at a time.
[[gnu::noinline]] std::uint64_t stream_bins(fltr::detail::BinnedFeatures const& data) {
  std::uint64_t sum = 0;
  for (std::size_t p = 0; p < data.panel_count(); ++p) {
    std::uint8_t const* const bins = data.panel(p);
    for (std::size_t i = 0; i < data.document_count() * fltr::detail::BinnedFeatures::width; i += 8) {
      std::uint64_t word = 0;
      std::memcpy(&word, bins + i, 8);
      sum += word;
    }
  }
  return sum;
}

}  // namespace

std::vector<Row> boosting(std::size_t rounds) {
  auto const fold = synthetic_fold(SyntheticShape::mslr(), 0.135);
  auto const queries = query_views(fold.train);
  LambdaMart const mart{.leaves = 64, .learning_rate = 0.05, .min_data = 50};
  Threads const threads{2};
  fltr::detail::BinnedFeatures const data(threads, queries);
  Boosting one(threads, queries, mart.boosting(), {});
  Boosting two(threads, queries, mart.boosting(), {});

  SideBySide bench(rounds);
  bench.baseline({"read the bins once", 1, 3, [&] { ankerl::nanobench::doNotOptimizeAway(stream_bins(data)); }});
  bench.add({"LambdaMART tree, 64 leaves, one thread", 1, 3,
             [&] { ankerl::nanobench::doNotOptimizeAway(one.step(Serial{}).leaf_count()); }},
            "read the bins once");
  if (two_cores("LambdaMART tree, 64 leaves, two threads"))
    bench.add({"LambdaMART tree, 64 leaves, two threads", 1, 3,
               [&] { ankerl::nanobench::doNotOptimizeAway(two.step(threads).leaf_count()); }},
              "LambdaMART tree, 64 leaves, one thread", SideBySide::Clock::elapsed);
  return bench.run();
}

}  // namespace fltr::benchmarks
