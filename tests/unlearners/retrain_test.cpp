#include <fltr/unlearners/retrain.hpp>

#include <cstdint>
#include <vector>

#include <fltr/aggregators/fed_opt.hpp>
#include <fltr/click_models/cascade_model.hpp>
#include <fltr/federation/make_federation.hpp>
#include <fltr/learners/pdgd.hpp>
#include <fltr/learners/personal.hpp>
#include <fltr/rankers/split_neural_ranker.hpp>

#include "support/catch.hpp"
#include "support/same_bits.hpp"
#include "support/toy_dataset.hpp"

using namespace fltr;
using fltr::testing::same_bits;
using fltr::testing::toy_dataset;

namespace {

/// Clients 1, 11, …, 51. Client 21 has the queries of `of_third`.
std::vector<Client> clients(Dataset const& data, QueryPool const& of_third, std::uint32_t interactions_of_third = 4) {
  std::vector<Client> out;
  for (std::uint32_t i = 0; i < 6; ++i)
    out.push_back(
        {10 * i + 1, i == 2 ? interactions_of_third : 4, i == 2 ? of_third : QueryPool(data, {i, i + 8, i + 16})});
  return out;
}

auto federation() {
  return make_federation(SplitNeuralRanker(5, {.hidden = 4}), CascadeModel::informational(3), Personal<Pdgd>{},
                         FedOpt<Adam>{})
      .with_unlearner(Retrain{});
}

auto run(std::vector<Client> population) {
  auto training = federation().start(population, {.seed = 5});
  training.run(5);
  return training;
}

}  // namespace

TEST_CASE("Retrain: any other data of the forgotten client gives the same bits") {
  auto const data = toy_dataset();
  auto const other = toy_dataset(7, 3, 5, 99);
  auto one = run(clients(data, QueryPool(data)));
  one.forget({21});
  // Other queries, reversed grades of the same queries, no query at all, and another number of interactions.
  std::vector<Grade> reversed;
  for (std::size_t q = 0; q < data.size(); ++q)
    for (Grade const grade : data[q].grades()) reversed.push_back(static_cast<Grade>(2 - grade));
  for (auto const& population : {clients(data, QueryPool(other)), clients(data, QueryPool(data).with_grades(reversed)),
                                 clients(data, QueryPool(data, {})), clients(data, QueryPool(data), 9)}) {
    auto two = run(population);
    REQUIRE_FALSE(same_bits(one, two));
    two.forget({21});
    CHECK(same_bits(one, two));  // ranker, the server's moments, every client's output layer
    two.advance();
    auto next = one;
    next.advance();
    CHECK(same_bits(next, two));
    CHECK(next.round().statistics.reported == 5);
  }
  // The output layer of the forgotten client is gone. The others have output layers of their own.
  CHECK(one.client_state(2).learner.own.empty());
  CHECK_FALSE(one.client_state(1).learner.own.empty());
  CHECK(one.client_state(1).learner.own != one.client_state(3).learner.own);
}

TEST_CASE("Retrain: forgetting two clients one after the other gives the bits of forgetting both at once") {
  auto const data = toy_dataset();
  auto one = run(clients(data, QueryPool(data)));
  auto two = one;
  one.forget({21});
  one.forget({41});
  auto const report = two.forget({41, 21});
  CHECK(same_bits(one, two));
  CHECK(one.forgotten_clients() == std::vector<ClientId>{21, 41});
  CHECK(report.rounds == 5);
  CHECK(report.statistics.reported == 5 * 4);
  CHECK(report.statistics.lists == 5 * 4 * 4);
}
