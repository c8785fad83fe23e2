// A custom population: clients in three time zones, each with ten queries of its own. A round asks one zone, and a
// client answers with probability 0.9.
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <numeric>
#include <vector>

#include <fltr/click_models/cascade_model.hpp>
#include <fltr/concepts/population.hpp>
#include <fltr/data/normalize.hpp>
#include <fltr/data/synthetic_fold.hpp>
#include <fltr/metrics/evaluate.hpp>
#include <fltr/metrics/ndcg.hpp>
#include <fltr/presets/fpdgd.hpp>
#include <fltr/rankers/linear_ranker.hpp>

struct TimeZones {
  fltr::Dataset const* data;  // outlives the population
  std::size_t clients = 300;

  std::size_t size() const { return clients; }
  fltr::Client operator[](std::size_t i) const {  // made when it is asked for: a population of millions takes no memory
    std::vector<std::uint32_t> queries(10);
    std::iota(queries.begin(), queries.end(), static_cast<std::uint32_t>(10 * i % (data->size() - 10)));
    return {.id = static_cast<fltr::ClientId>(i), .interactions = 4, .queries = fltr::QueryPool(*data, queries)};
  }

  // The optional hooks: the clients that a round asks, and whether a client that was asked answers.
  std::vector<std::uint32_t> participants(std::uint32_t round, fltr::Stream&) const {
    std::vector<std::uint32_t> zone;
    for (auto i = round % 3; i < clients; i += 3) zone.push_back(i);
    return zone;
  }
  bool reports(fltr::RoundPhase const&, std::size_t, fltr::Stream& stream) const { return stream.bernoulli(0.9); }
};
static_assert(fltr::Population<TimeZones>);

int main() {
  auto const fold = fltr::synthetic_fold(fltr::SyntheticShape::mq2007(), 0.5);
  auto const data = fltr::normalize(fold, fltr::Normalization::query);
  auto const federation = fltr::fpdgd(fltr::LinearRanker{data.train.feature_count()}, fltr::CascadeModel::perfect(3));
  auto training = federation.start(TimeZones{.data = &data.train});
  training.run(30, [&](auto const& round) {
    if (round.number % 10 == 0)
      std::cout << "round " << round.number << ": " << round.statistics.reported << " reported, "
                << round.statistics.dropped << " dropped, nDCG@10 "
                << fltr::evaluate(round.ranker, data.test, fltr::Ndcg{.cutoff = 10}) << '\n';
  });
}
