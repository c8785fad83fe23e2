// Rounds of FPDGD with 1,000 clients of four interactions at 40 x 46, per interaction: without noise, with the noise of
// each privatizer, with a neural ranker, and on two threads. Then a round in which ten of a million clients are asked.
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <fltr/click_models/cascade_model.hpp>
#include <fltr/execution/threads.hpp>
#include <fltr/partition/iid.hpp>
#include <fltr/partition/sampled.hpp>
#include <fltr/presets/fpdgd.hpp>
#include <fltr/privatizers/gamma_noise.hpp>
#include <fltr/privatizers/laplace_noise.hpp>
#include <fltr/rankers/linear_ranker.hpp>
#include <fltr/rankers/neural_ranker.hpp>

#include "hot_paths/suites.hpp"
#include "support/baselines.hpp"
#include "support/fixed_shape.hpp"
#include "support/side_by_side.hpp"
#include "support/two_cores.hpp"

namespace fltr::benchmarks {

std::vector<Row> federation(std::size_t rounds) {
  auto const data = fixed_shape(1692, 40, 46, 3);
  auto const users = CascadeModel::informational(3);
  auto const clients = split_iid(data, {.clients = 1000, .interactions = 4});
  auto const linear = fpdgd(LinearRanker(46), users);
  auto plain = linear.start(clients);
  auto gamma = linear.with_privatizer(GammaNoise{}).start(clients);
  auto laplace = linear.with_privatizer(LaplaceNoise{}).start(clients);
  auto one = linear.with_execution(Threads{1}).start(clients);
  auto two = linear.with_execution(Threads{2}).start(clients);
  auto hidden = fpdgd(NeuralRanker(46, {.hidden = 64}), users).start(clients);

  auto const ranker = with_random_weights(LinearRanker(46), 0.3F);
  std::vector<float> scores(40);
  std::uint32_t round = 0;
  SideBySide bench(rounds);
  auto const in_round = [](std::string name, std::uint64_t calls, auto run) {
    return SideBySide::Operation{std::move(name), 4000, calls, std::move(run)};
  };
  bench.baseline(in_round("score the queries of a round", 5, [&] {
    ++round;
    for (std::size_t c = 0; c < clients.size(); ++c) score_queries(clients[c], round, ranker, scores);
  }));
  bench.add(in_round("round, 1,000 clients", 5, [&] { plain.advance(); }), "score the queries of a round");
  bench.add(in_round("round, GammaNoise", 5, [&] { gamma.advance(); }), "round, 1,000 clients");
  bench.add(in_round("round, LaplaceNoise", 5, [&] { laplace.advance(); }), "round, 1,000 clients");
  bench.add(in_round("round, neural", 1, [&] { hidden.advance(); }), "round, 1,000 clients");
  bench.baseline(in_round("round, one thread", 10, [&] { one.advance(); }));
  if (two_cores("round, two threads"))
    bench.add(in_round("round, two threads", 10, [&] { two.advance(); }), "round, one thread",
              SideBySide::Clock::elapsed);

  // Ten clients at work, alone and among a million: the difference is what those cost who are not asked.
  auto const wide = fixed_shape(600, 120, 136, 5);
  auto const neural = fpdgd(NeuralRanker(136, {.hidden = 64}), CascadeModel::informational(5));
  auto of_million = neural.start(Sampled{split_iid(wide, {.clients = 1'000'000, .interactions = 4}), 10});
  auto of_ten = neural.start(split_iid(wide, {.clients = 10, .interactions = 4}));
  bench.baseline({"neural round, 10 clients of 10", 40, 1, [&] { of_ten.advance(); }});
  bench.add({"neural round, 10 clients of 1,000,000", 40, 1, [&] { of_million.advance(); }},
            "neural round, 10 clients of 10");
  return bench.run();
}

}  // namespace fltr::benchmarks
