// Each block runs in its own process; results must not depend on writes in place.
#include "frame/forked.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

#include <fltr/aggregators/fed_avg.hpp>
#include <fltr/aggregators/krum.hpp>
#include <fltr/click_models/cascade_model.hpp>
#include <fltr/learners/personal.hpp>
#include <fltr/metrics/evaluate.hpp>
#include <fltr/metrics/ndcg.hpp>
#include <fltr/partition/by_category.hpp>
#include <fltr/partition/dropout.hpp>
#include <fltr/partition/iid.hpp>
#include <fltr/partition/sampled.hpp>
#include <fltr/presets/foltr_es.hpp>
#include <fltr/presets/fpdgd.hpp>
#include <fltr/presets/merge_forests.hpp>
#include <fltr/presets/stacking.hpp>
#include <fltr/privatizers/gamma_noise.hpp>
#include <fltr/rankers/linear_ranker.hpp>
#include <fltr/rankers/split_neural_ranker.hpp>
#include <fltr/unlearners/fed_eraser.hpp>

#include "support/catch.hpp"
#include "support/same_bits.hpp"
#include "support/toy_dataset.hpp"

namespace {

using namespace fltr;
using fltr::testing::Forked;
using fltr::testing::same_bits;
using fltr::testing::toy_dataset;

/// The whole state of a run is the same on processes as on the calling thread.
void check_same(auto const& federation, auto clients, int rounds = 3) {
  auto serial = federation.start(clients, {.seed = 5});
  auto forked = federation.with_execution(Forked{}).start(clients, {.seed = 5});
  for (int i = 0; i < rounds; ++i) {
    serial.advance();
    forked.advance();
  }
  CHECK(field_bytes(serial) == field_bytes(forked));
}

}  // namespace

TEST_CASE("FPDGD, FOLtR-ES and Krum on forked processes give the bits of Serial") {
  auto const data = toy_dataset();
  auto const clients = Sampled{Dropout{split_iid(data, {.clients = 90, .interactions = 4}), 0.2}, 50};
  check_same(fpdgd(LinearRanker(5), CascadeModel::informational(3), {}, GammaNoise{}), clients);
  check_same(foltr_es(LinearRanker(5), CascadeModel::informational(3)), clients);
  check_same(fpdgd(LinearRanker(5), CascadeModel::informational(3)).with_aggregator(Krum{}), clients);
}

TEST_CASE("Client states and personal evaluation on forked processes equal those of Serial") {
  auto const data = toy_dataset();
  std::vector<Client> clients;
  for (std::uint32_t i = 0; i < 36; ++i) clients.push_back({i, 3, QueryPool(data, {i, 39 - i})});
  auto const federation =
      make_federation(SplitNeuralRanker(5, {.hidden = 4}), CascadeModel::perfect(3), Personal<Pdgd>{}, FedAvg{})
          .with_unlearner(FedEraser{.interval = 2, .local_steps = 1});
  check_same(federation, clients);

  auto serial = federation.start(clients);
  auto forked = federation.with_execution(Forked{}).start(clients);
  for (int i = 0; i < 3; ++i) {
    serial.advance();
    forked.advance();
  }
  auto const all = [&](Client const&) -> Dataset const& { return data; };
  auto const expected = serial.evaluate_personal(Ndcg{}, all);
  CHECK(expected == forked.evaluate_personal(Ndcg{}, all));
  CHECK(expected.size() == 36);
  for (std::size_t i = 0; i < clients.size(); ++i) CHECK(same_bits(serial.ranker_of(i), forked.ranker_of(i)));
  serial.forget({4});
  forked.forget({4});
  CHECK(field_bytes(serial) == field_bytes(forked));
}

TEST_CASE("Evaluation and merging of forests on forked processes equal those of Serial") {
  auto const data = toy_dataset(150, 8, 5);
  CHECK(evaluate_on(Forked{}, LinearRanker({1.0F, -1.0F, 0.5F, 0.25F, 0.0F}), data, Ndcg{})[0].mean() ==
        evaluate(LinearRanker({1.0F, -1.0F, 0.5F, 0.25F, 0.0F}), data, Ndcg{}));

  std::vector<std::uint32_t> first, second, merge;
  for (std::uint32_t q = 0; q < 150; ++q) (q % 3 == 0 ? first : q % 3 == 1 ? second : merge).push_back(q);
  std::vector<MergingClient> const clients{
      {.id = 0, .queries = {data, first}, .validation = {}, .merge = {data, merge}, .merge_validation = {}},
      {.id = 1, .queries = {data, second}, .validation = {}, .merge = {data, merge}, .merge_validation = {}}};
  LambdaMart const mart{.trees = 5, .leaves = 4, .min_data = 5};
  auto const check = [&](auto const& federation) {
    auto serial = federation.start(clients);
    auto forked = federation.with_execution(Forked{}).start(clients);
    serial.advance();
    forked.advance();
    for (std::size_t i = 0; i < 2; ++i) CHECK(same_bits(serial.ranker_of(i), forked.ranker_of(i)));
    CHECK(field_bytes(serial) == field_bytes(forked));
  };
  check(merge_forests(5, mart));
  check(merge_forests(5, mart, stacking({.trees = 3, .leaves = 4, .min_data = 5})));
}

TEST_CASE("An exception in a forked process reaches the caller and leaves the training unchanged") {
  auto const data = toy_dataset();
  auto training = fpdgd(LinearRanker(4), CascadeModel::perfect(3))  // the data has five features
                      .with_execution(Forked{})
                      .start(split_iid(data, {.clients = 40, .interactions = 1}));
  auto const before = field_bytes(training);
  CHECK_THROWS_WITH(training.advance(), Catch::Contains("features"));
  CHECK(field_bytes(training) == before);
}
