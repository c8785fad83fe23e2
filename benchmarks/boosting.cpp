// A tree of LambdaMART with 64 leaves at the size of a fifth of MSLR-WEB10K's documents (200,000 x 136), on one thread
// and on two: gradients, histograms, splits and new scores. Compared with reading the binned features once; a tree
// reads them about three times.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>

#include <fltr/boosting/query_views.hpp>
#include <fltr/core/serial.hpp>
#include <fltr/data/synthetic_fold.hpp>
#include <fltr/execution/threads.hpp>
#include <fltr/learners/lambda_mart.hpp>

#include "support/nanobench.hpp"
#include "support/side_by_side.hpp"

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

int main() {
  using namespace fltr;
  using namespace fltr::benchmarks;
  auto const fold = synthetic_fold(SyntheticShape::mslr(), 0.2693);
  auto const queries = query_views(fold.train);
  LambdaMart const mart{.leaves = 64, .learning_rate = 0.05, .min_data = 50};
  Threads const threads{2};
  fltr::detail::BinnedFeatures const data(threads, queries);
  Boosting one(threads, queries, mart.boosting(), {});
  Boosting two(threads, queries, mart.boosting(), {});
  std::printf("%zu documents x %zu features\n", fold.train.document_count(), fold.train.feature_count());
  SideBySide bench("A tree of 64 leaves");
  bench.add("read the bins once", 1, [&] { ankerl::nanobench::doNotOptimizeAway(stream_bins(data)); });
  bench.add("a tree, one thread", 1, [&] { ankerl::nanobench::doNotOptimizeAway(one.step(Serial{}).leaf_count()); });
  bench.add("a tree, two threads", 1, [&] { ankerl::nanobench::doNotOptimizeAway(two.step(threads).leaf_count()); });
  bench.run(7, 10);
}
