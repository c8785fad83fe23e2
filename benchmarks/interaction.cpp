// One PDGD interaction (choose a query, score, draw a list, click, score_gradient, backward, step) on one core,
// compared with reading the features of the same queries once.
#include <cstddef>
#include <cstdint>
#include <string>

#include <fltr/click_models/cascade_model.hpp>
#include <fltr/data/client.hpp>
#include <fltr/federation/detail/learn_at_client.hpp>
#include <fltr/learners/pdgd.hpp>
#include <fltr/privatizers/gamma_noise.hpp>
#include <fltr/privatizers/no_privacy.hpp>
#include <fltr/rankers/linear_ranker.hpp>

#include "support/fixed_shape.hpp"
#include "support/side_by_side.hpp"

namespace {

using namespace fltr;
using namespace fltr::benchmarks;

void compare(std::string const& title, std::size_t queries, std::size_t documents, std::size_t features, Grade grades,
             std::uint64_t calls) {
  auto const data = fixed_shape(queries, documents, features, grades);
  LinearRanker ranker(features);
  Stream random(2);
  for (float& w : ranker.parameters()) w = 0.3F * static_cast<float>(random.normal());
  constexpr std::uint32_t batch = 64;  // clients of four interactions in a block
  std::uint32_t round = 0;
  Client const client{0, 4, QueryPool(data)};

  auto const local_work = [&](auto const& clicks, auto const& privacy) {
    SessionBuffers<LearnerWorkspace> buffers;
    RoundStatistics statistics;
    NoState state;
    for (std::uint32_t i = 0; i < batch / 4; ++i) {
      auto const message = detail::learn_at_client(Pdgd{}, clicks, privacy, ranker, client, RoundInfo{1, ++round, 1},
                                                   state, buffers, statistics);
      ankerl::nanobench::doNotOptimizeAway(message.values[0]);
    }
  };
  SideBySide bench(title);
  bench.add("stream the features once", batch, [&] {
    float sum = 0;
    for (std::uint32_t i = 0; i < batch / 4; ++i) {
      Stream pick = RoundInfo{1, ++round, 1}.streams(0).of(Purpose::queries);
      for (int k = 0; k < 4; ++k) sum += stream_features(client.queries.draw(pick));
    }
    ankerl::nanobench::doNotOptimizeAway(sum);
  });
  auto const perfect = CascadeModel::perfect(grades);
  auto const informational = CascadeModel::informational(grades);
  bench.add("interaction, perfect clicks", batch, [&] { local_work(perfect, NoPrivacy{}); });
  bench.add("interaction, informational clicks", batch, [&] { local_work(informational, NoPrivacy{}); });
  bench.add("interaction, informational, clipped", batch, [&] { local_work(informational, GammaNoise{}); });
  bench.run(15, calls);
}

}  // namespace

int main() {
  compare("MQ2007: 1,692 queries of 40 x 46", 1692, 40, 46, 3, 100);
  compare("MSLR-WEB10K: 10,000 queries of 125 x 136", 10'000, 125, 136, 5, 20);
}
