// One step of IPS from a logged click (score, hinge, backward, step) at 40 x 46 on one core, compared with scoring the
// query of the click. Then a round of FedIPS, whose clients also simulate their logs.
#include <cstddef>
#include <cstdint>
#include <vector>

#include <fltr/click_models/no_clicks.hpp>
#include <fltr/federation/detail/learn_at_client.hpp>
#include <fltr/learners/ips.hpp>
#include <fltr/partition/logged_population.hpp>
#include <fltr/partition/recorded_population.hpp>
#include <fltr/presets/fedips.hpp>
#include <fltr/privatizers/no_privacy.hpp>
#include <fltr/rankers/linear_ranker.hpp>

#include "hot_paths/suites.hpp"
#include "support/baselines.hpp"
#include "support/fixed_shape.hpp"
#include "support/side_by_side.hpp"

namespace fltr::benchmarks {

std::vector<Row> ips(std::size_t rounds) {
  constexpr std::size_t client_count = 1000;
  auto const data = fixed_shape(1692, 40, 46, 3);
  auto const ranker = with_random_weights(LinearRanker(46), 0.3F);
  LoggedPopulation const logged(data, ranker, {.clients = client_count});
  std::vector<ClickLog> logs(client_count);
  double clicks = 0;
  for (std::uint32_t c = 0; c < client_count; ++c) {
    (void)logged[c].log(Streams{1, 1, c}, logs[c]);
    clicks += static_cast<double>(logs[c].click_count());
  }
  RecordedPopulation const recorded(data, logs);
  auto training = fedips(ranker).start(logged);
  std::vector<float> scores(40);

  SideBySide bench(rounds);
  bench.baseline({"score the queries of the clicks", clicks, 5, [&] {
                    for (ClickLog const& log : logs)
                      for (std::size_t list = 0; list < log.size(); ++list)
                        for (Impression const& shown : log[list].shown)
                          if (shown.clicked) ranker.score(data[log[list].query], scores);
                    ankerl::nanobench::doNotOptimizeAway(scores[0]);
                  }});
  bench.add({"IPS step", clicks, 5,
             [&] {
               SessionBuffers<LearnerWorkspace> buffers;
               RoundStatistics statistics;
               NoState state;
               for (std::size_t c = 0; c < client_count; ++c) {
                 auto const message =
                     fltr::detail::learn_at_client(Ips<>{}, NoClicks{}, NoPrivacy{}, ranker, recorded[c],
                                                   RoundInfo{1, 1, 1}, state, buffers, statistics);
                 ankerl::nanobench::doNotOptimizeAway(message.values[0]);
               }
             }},
            "score the queries of the clicks");
  bench.add({"FedIPS round, per click", clicks, 5, [&] { training.advance(); }}, "score the queries of the clicks");
  return bench.run();
}

}  // namespace fltr::benchmarks
