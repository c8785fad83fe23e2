// Learner wrappers: FedProx and FedPer, alone and nested both ways.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <fltr/aggregators/fed_avg.hpp>
#include <fltr/click_models/cascade_model.hpp>
#include <fltr/execution/threads.hpp>
#include <fltr/learners/lambda_rank.hpp>
#include <fltr/learners/pdgd.hpp>
#include <fltr/metrics/ndcg.hpp>
#include <fltr/partition/iid.hpp>
#include <fltr/presets/fpdgd.hpp>
#include <fltr/privatizers/clip.hpp>
#include <fltr/rankers/linear_ranker.hpp>

#include "frame/personal.hpp"
#include "frame/proximal.hpp"
#include "support/catch.hpp"
#include "support/same_bits.hpp"
#include "support/toy_dataset.hpp"

namespace {

using namespace fltr;
using fltr::testing::NeuralWithHead;
using fltr::testing::Personal;
using fltr::testing::Proximal;
using fltr::testing::same_bits;
using fltr::testing::toy_dataset;

static_assert(Learner<Proximal<Pdgd>> && Learner<Personal<Pdgd>>);
static_assert(Learner<Proximal<Personal<Pdgd>>> && Learner<Personal<Proximal<Pdgd>>>);
// No hook of the inner learner is lost.
static_assert(fltr::composition::NamesHook_personal<Proximal<Personal<Pdgd>>> &&
              fltr::composition::NamesHook_trains<Personal<Proximal<Pdgd>>>);
static_assert(!fltr::composition::shows_lists<Proximal<LambdaRank>>());

NeuralWithHead ranker() { return NeuralWithHead(5, {.hidden = 4}); }

auto run(auto const& learner, auto clients, int rounds = 4) {
  auto training = make_federation(ranker(), CascadeModel::perfect(3), learner, FedAvg{}).start(clients, {.seed = 5});
  for (int i = 0; i < rounds; ++i) training.advance();
  return training;
}

/// Eight clients with queries of their own; client 3 has those of another set.
std::vector<Client> eight(Dataset const& data, Dataset const& of_third) {
  std::vector<Client> clients;
  for (std::uint32_t i = 0; i < 8; ++i)
    clients.push_back({i, 3, i == 3 ? QueryPool(of_third) : QueryPool(data, {i, i + 8, i + 16})});
  return clients;
}

}  // namespace

TEST_CASE(
    "FedProx with mu = 0 gives the bits of the wrapped learner; with mu > 0 clients stay closer to the global ranker") {
  auto const data = toy_dataset();
  auto const clients = split_iid(data, {.clients = 30, .interactions = 5});
  auto const plain = fpdgd(LinearRanker(5), CascadeModel::perfect(3));
  auto const start = [&](float mu) {
    auto training = plain.with_learner(Proximal<Pdgd>{{}, mu}).start(clients);
    for (int i = 0; i < 3; ++i) training.advance();
    return training;
  };
  auto expected = plain.start(clients);
  for (int i = 0; i < 3; ++i) expected.advance();
  CHECK(same_bits(start(0.0F).ranker(), expected.ranker()));
  CHECK_FALSE(same_bits(start(1.0F).ranker(), expected.ranker()));

  // One client takes 400 steps in one round. Each step but the first is pulled back to the global ranker.
  auto const moved = [&](float mu) {
    auto training = plain.with_learner(Proximal<Pdgd>{{.learning_rate = 0.05F}, mu})
                        .start(split_iid(data, {.clients = 1, .interactions = 400}));
    training.advance();
    double squares = 0.0;
    for (float w : training.ranker().parameters()) squares += static_cast<double>(w) * static_cast<double>(w);
    return std::sqrt(squares);
  };
  CHECK(moved(5.0F) < 0.5 * moved(0.0F));
}

TEST_CASE("FedPer: changing one client's data leaves the output layers of all other clients bit-identical") {
  auto const data = toy_dataset();
  auto const other = toy_dataset(40, 12, 5, 99);
  auto const check = [&](auto const& learner) {
    // Only one round, because in later rounds all clients share the body that client 3 helped to train.
    auto const one = run(learner, eight(data, data), 1);
    auto const two = run(learner, eight(data, other), 1);
    for (std::size_t i = 0; i < 8; ++i)
      CHECK((one.client_state(i).learner.head == two.client_state(i).learner.head) == (i != 3));
    CHECK_FALSE(same_bits(one.ranker(), two.ranker()));
  };
  check(Personal<Pdgd>{});
  check(Proximal<Personal<Pdgd>>{});
  check(Personal<Proximal<Pdgd>>{});
}

TEST_CASE("ranker_of is the global ranker with the client's output layer, on any Execution") {
  auto const data = toy_dataset();
  auto const learner = Personal<Pdgd>{};
  auto const training = run(learner, eight(data, data));
  auto threads = make_federation(ranker(), CascadeModel::perfect(3), learner, FedAvg{})
                     .with_execution(Threads{3})
                     .start(eight(data, data), {.seed = 5});
  for (int i = 0; i < 4; ++i) threads.advance();
  for (std::size_t i = 0; i < 8; ++i) {
    auto const own = training.ranker_of(i);
    CHECK(std::ranges::equal(own.shared(), training.ranker().shared()));
    CHECK(std::ranges::equal(personal_parameters(own), training.client_state(i).learner.head));
    CHECK(same_bits(own, threads.ranker_of(i)));
    for (std::size_t j = 0; j < i; ++j) CHECK_FALSE(same_bits(own, training.ranker_of(j)));
  }
  // The head of the global ranker is that of the start model, because heads never travel.
  auto const start =
      make_federation(ranker(), CascadeModel::perfect(3), learner, FedAvg{}).start(eight(data, data), {.seed = 5});
  CHECK(std::ranges::equal(personal_parameters(training.ranker()), personal_parameters(start.ranker())));

  auto const values =
      training.evaluate_personal(Ndcg{.cutoff = 10}, [&](Client const&) -> Dataset const& { return data; });
  REQUIRE(values.size() == 8);
  for (std::size_t i = 0; i < 8; ++i) {
    REQUIRE(values[i]);
    CHECK(*values[i] == evaluate(training.ranker_of(i), data, Ndcg{.cutoff = 10}));
  }
}

TEST_CASE("FedProx and FedPer commute: FedProx acts on the shared parameters only") {
  auto const data = toy_dataset();
  auto const one = run(Proximal<Personal<Pdgd>>{{}, 0.7F}, eight(data, data));
  auto const two = run(Personal<Proximal<Pdgd>>{{{}, 0.7F}}, eight(data, data));
  CHECK(same_bits(one.ranker(), two.ranker()));
  for (std::size_t i = 0; i < 8; ++i) CHECK(same_bits(one.ranker_of(i), two.ranker_of(i)));
  CHECK_FALSE(same_bits(one.ranker(), run(Personal<Pdgd>{}, eight(data, data)).ranker()));
}

TEST_CASE("A privatizer constrains the shared parameters only") {
  auto const data = toy_dataset();
  auto training = make_federation(ranker(), CascadeModel::perfect(3), Personal<Pdgd>{{.learning_rate = 3.0F}}, FedAvg{},
                                  Clip{.bound = 0.25})
                      .start(eight(data, data), {.seed = 5});
  for (int i = 0; i < 4; ++i) training.advance();
  double shared = 0.0;
  for (float w : training.ranker().shared()) shared += static_cast<double>(w) * static_cast<double>(w);
  CHECK(std::sqrt(shared) <= 0.25);
  double head = 0.0;
  for (float w : training.client_state(0).learner.head) head += static_cast<double>(w) * static_cast<double>(w);
  CHECK(std::sqrt(head) > 0.25);
}
