// A round of FPDGD on one and on two threads, and what a million clients cost in memory above the data.
#include <sys/resource.h>

#include <cstddef>
#include <cstdio>

#include <fltr/click_models/cascade.hpp>
#include <fltr/execution/serial.hpp>
#include <fltr/execution/threads.hpp>
#include <fltr/federation/presets.hpp>
#include <fltr/partition/iid.hpp>
#include <fltr/privatizers/gamma_noise.hpp>
#include <fltr/rankers/linear.hpp>

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
              static_cast<unsigned long long>(million.round().tally.reported), peak_megabytes() - before);

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
}
