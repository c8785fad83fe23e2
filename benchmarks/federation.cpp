// A round of FPDGD on one and on two threads, what a million clients cost in memory above the data, and what a round
// costs in which few of them are asked.
#include <sys/resource.h>

#include <cstddef>
#include <cstdio>

#include <fltr/click_models/cascade_model.hpp>
#include <fltr/core/serial.hpp>
#include <fltr/execution/threads.hpp>
#include <fltr/partition/iid.hpp>
#include <fltr/partition/sampled.hpp>
#include <fltr/presets/fpdgd.hpp>
#include <fltr/privatizers/gamma_noise.hpp>
#include <fltr/rankers/linear_ranker.hpp>
#include <fltr/rankers/neural_ranker.hpp>

#include "support/fixed_shape.hpp"
#include "support/side_by_side.hpp"

namespace {

using namespace fltr;
using namespace fltr::benchmarks;

long peak_megabytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss / 1024;
}

}  // namespace

int main() {
  auto const data = fixed_shape(1692, 40, 46, 3);
  auto const federation = fpdgd(LinearRanker(46), CascadeModel::informational(3));

  long const before = peak_megabytes();
  auto million =
      federation.with_execution(Threads{2}).start(split_iid(data, {.clients = 1'000'000, .interactions = 1}));
  million.advance();
  std::printf("1,000,000 clients in a round: %llu reported, +%ld MB above the data\n",
              static_cast<unsigned long long>(million.round().statistics.reported), peak_megabytes() - before);

  auto const clients = split_iid(data, {.clients = 1000, .interactions = 4});
  auto serial = federation.start(clients);
  auto one = federation.with_execution(Threads{1}).start(clients);
  auto two = federation.with_execution(Threads{2}).start(clients);
  auto noisy = federation.with_privatizer(GammaNoise{}).start(clients);
  SideBySide bench("A round of 1,000 clients with 4 interactions at 40 x 46, per interaction");
  bench.add("Threads{2}", 4000, [&] { two.advance(); });
  bench.add("Threads{1}", 4000, [&] { one.advance(); });
  bench.add("Serial", 4000, [&] { serial.advance(); });
  bench.add("Serial with GammaNoise", 4000, [&] { noisy.advance(); });
  bench.run(21, 10);

  // Ten clients at work, alone and among a million: the difference is what those cost who are not asked.
  auto const wide = fixed_shape(600, 120, 136, 5);
  auto const neural = fpdgd(NeuralRanker(136, {.hidden = 64}), CascadeModel::informational(5));
  auto of_million = neural.start(Sampled{split_iid(wide, {.clients = 1'000'000, .interactions = 4}), 10});
  auto of_ten = neural.start(split_iid(wide, {.clients = 10, .interactions = 4}));
  SideBySide sampled("A round of 10 clients with 4 interactions, neural ranker 64 x 136, per round");
  sampled.add("10 of 1,000,000 asked", 1, [&] { of_million.advance(); });
  sampled.add("10 of 10 asked", 1, [&] { of_ten.advance(); });
  sampled.run(9, 5);
}
