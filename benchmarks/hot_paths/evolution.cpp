// A round of FOLtR-ES with 2,000 clients of four interactions at 40 x 46 on one core (perturb, score, rank, click, and
// compute the noise again at the server), per interaction, compared with scoring the same queries once.
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <fltr/click_models/cascade_model.hpp>
#include <fltr/partition/iid.hpp>
#include <fltr/presets/foltr_es.hpp>
#include <fltr/privatizers/randomized_metric.hpp>
#include <fltr/rankers/linear_ranker.hpp>

#include "hot_paths/suites.hpp"
#include "support/baselines.hpp"
#include "support/fixed_shape.hpp"
#include "support/side_by_side.hpp"

namespace fltr::benchmarks {

std::vector<Row> evolution(std::size_t rounds) {
  auto const data = fixed_shape(1692, 40, 46, 3);
  auto const clients = split_iid(data, {.clients = 2000, .interactions = 4});
  auto const federation = foltr_es(LinearRanker(46), CascadeModel::perfect(3));
  auto plain = federation.start(clients);
  auto informational = foltr_es(LinearRanker(46), CascadeModel::informational(3)).start(clients);
  auto privately = federation.with_privatizer(RandomizedMetric::max_rr(0.9)).start(clients);
  LinearRanker const ranker(std::vector<float>(46, 0.1F));
  std::vector<float> scores(40);
  std::uint32_t round = 0;

  SideBySide bench(rounds);
  std::string const scoring = "score the queries of an ES round";
  bench.baseline({scoring, 8000, 5, [&] {
                    ++round;
                    for (std::size_t c = 0; c < clients.size(); ++c) score_queries(clients[c], round, ranker, scores);
                  }});
  bench.add({"FOLtR-ES round, perfect", 8000, 5, [&] { plain.advance(); }}, scoring);
  bench.add({"FOLtR-ES round, informational", 8000, 5, [&] { informational.advance(); }}, scoring);
  bench.add({"FOLtR-ES round, perfect, private", 8000, 5, [&] { privately.advance(); }}, scoring);
  return bench.run();
}

}  // namespace fltr::benchmarks
