// A stateful wrapper around any aggregator.
#include "frame/dropping.hpp"

#include <cstdint>
#include <vector>

#include <fltr/aggregators/fed_avg.hpp>
#include <fltr/aggregators/fed_opt.hpp>
#include <fltr/aggregators/krum.hpp>
#include <fltr/click_models/cascade_model.hpp>
#include <fltr/partition/dropout.hpp>
#include <fltr/partition/iid.hpp>
#include <fltr/partition/sampled.hpp>
#include <fltr/presets/fpdgd.hpp>
#include <fltr/rankers/linear_ranker.hpp>

#include "support/catch.hpp"
#include "support/same_bits.hpp"
#include "support/toy_dataset.hpp"

namespace {

using namespace fltr;
using fltr::testing::Dropping;
using fltr::testing::same_bits;
using fltr::testing::toy_dataset;

auto run(auto const& federation, auto clients) {
  auto training = federation.start(clients, {.seed = 5});
  for (int i = 0; i < 4; ++i) training.advance();
  return training;
}

/// 70 clients whose ids differ from their positions. 40 are sampled and some do not report: the tree has holes.
auto holes(Dataset const& data) {
  std::vector<Client> clients;
  for (std::uint32_t i = 0; i < 70; ++i) clients.push_back({1000 - 7 * i, 3, QueryPool(data)});
  return Sampled{Dropout{clients, 0.3}, 40};
}

}  // namespace

TEST_CASE(
    "An aggregator wrapper that drops no client gives the bits of the wrapped aggregator, streaming and gathering") {
  auto const data = toy_dataset();
  auto const clients = holes(data);
  auto const federation = fpdgd(LinearRanker(5), CascadeModel::perfect(3));
  CHECK(same_bits(run(federation.with_aggregator(Dropping<FedAvg>{}), clients).ranker(),
                  run(federation, clients).ranker()));
  auto const adam = run(federation.with_aggregator(FedOpt<Adam>{}), clients);
  auto const wrapped = run(federation.with_aggregator(Dropping<FedOpt<Adam>>{}), clients);
  CHECK(same_bits(wrapped.ranker(), adam.ranker()));
  CHECK(same_bits(wrapped.server_state().inner, adam.server_state()));
  CHECK(same_bits(run(federation.with_aggregator(Dropping<Krum>{}), clients).ranker(),
                  run(federation.with_aggregator(Krum{}), clients).ranker()));
}

TEST_CASE("The server's state contains the clients that a wrapper dropped") {
  auto const data = toy_dataset();
  auto const federation = fpdgd(LinearRanker(5), CascadeModel::perfect(3));
  auto const clients = split_iid(data, {.clients = 40, .interactions = 3});
  auto const training = run(federation.with_aggregator(Dropping<FedAvg>{{}, {3, 17}}), clients);
  CHECK(training.server_state().dropped == std::map<ClientId, std::uint32_t>{{3, 4}, {17, 4}});
  CHECK_FALSE(same_bits(training.ranker(), run(federation, clients).ranker()));
}
