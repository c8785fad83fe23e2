// A round of FOLtR-ES with 2,000 clients at MQ2007's shape on one core (perturb, score, rank, click, and rebuild the
// noise at the server), compared with scoring the same queries once per interaction.
#include <cstddef>
#include <cstdint>
#include <vector>

#include <fltr/click_models/cascade_model.hpp>
#include <fltr/partition/iid.hpp>
#include <fltr/presets/foltr_es.hpp>
#include <fltr/privatizers/randomized_metric.hpp>
#include <fltr/rankers/linear_ranker.hpp>

#include "support/fixed_shape.hpp"
#include "support/side_by_side.hpp"

int main() {
  using namespace fltr;
  using namespace fltr::benchmarks;
  auto const data = fixed_shape(1692, 40, 46, 3);
  auto const clients = split_iid(data, {.clients = 2000, .interactions = 4});
  auto const federation = foltr_es(LinearRanker(46), CascadeModel::perfect(3));
  auto plain = federation.start(clients);
  auto informational = foltr_es(LinearRanker(46), CascadeModel::informational(3)).start(clients);
  auto privately = federation.with_privatizer(RandomizedMetric::max_rr(0.9)).start(clients);
  LinearRanker const ranker(std::vector<float>(46, 0.1F));
  std::vector<float> scores(40);
  std::uint32_t round = 0;
  SideBySide bench("A round of 2,000 clients with 4 interactions at 40 x 46, per interaction");
  bench.add("score the queries", 8000, [&] {
    ++round;
    for (std::uint32_t c = 0; c < 2000; ++c) {
      auto const client = clients[c];
      Stream pick = Streams{1, round, c}.of(Purpose::queries);
      QueryView next = client.queries.draw(pick);
      for (int i = 0; i < 4; ++i) {
        QueryView const query = next;
        ranker.score(query, scores);
        if (i < 3) {
          next = client.queries.draw(pick);
          next.prefetch();
        }
      }
      ankerl::nanobench::doNotOptimizeAway(scores[0]);
    }
  });
  bench.add("FOLtR-ES, perfect users", 8000, [&] { plain.advance(); });
  bench.add("FOLtR-ES, informational users", 8000, [&] { informational.advance(); });
  bench.add("FOLtR-ES, perfect users, private", 8000, [&] { privately.advance(); });
  bench.run(21, 5);
}
