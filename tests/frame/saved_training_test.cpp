// A Training is saved in the middle and restored: the rest of the run has the same bits.
#include <cstddef>
#include <cstdint>
#include <vector>

#include <fltr/aggregators/fed_avg.hpp>
#include <fltr/click_models/cascade.hpp>
#include <fltr/federation/presets.hpp>
#include <fltr/partition/iid.hpp>
#include <fltr/partition/participation.hpp>
#include <fltr/privatizers/gamma_noise.hpp>
#include <fltr/rankers/linear.hpp>

#include "frame/personal.hpp"
#include "frame/unlearners.hpp"
#include "support/catch.hpp"
#include "support/toy.hpp"

namespace {

using namespace fltr;
using fltr::testing::FedEraser;
using fltr::testing::NeuralWithHead;
using fltr::testing::Personal;
using fltr::testing::Retrain;
using fltr::testing::same_bits;
using fltr::testing::toy_dataset;

/// `go_on` continues a training from the middle to the end.
void check_resumed(auto const& federation, auto clients, auto const& go_on) {
  RunOptions const options{.seed = 7};
  auto whole = federation.start(clients, options);
  for (int i = 0; i < 4; ++i) whole.advance();
  auto const saved = field_bytes(whole);
  go_on(whole);

  auto resumed = federation.start(clients, options);
  restore(resumed, saved);
  CHECK(resumed.number() == 4);
  go_on(resumed);
  CHECK(field_bytes(resumed) == field_bytes(whole));
  CHECK(resumed.round().tally.reported == whole.round().tally.reported);

  // What was cut or belongs to other clients is refused, and changes nothing.
  auto other = federation.start(clients, options);
  auto const fresh = field_bytes(other);
  for (std::size_t size : {std::size_t{0}, saved.size() / 2, saved.size() - 1})
    CHECK_THROWS_AS(restore(other, std::span(saved).first(size)), FormatError);
  CHECK(field_bytes(other) == fresh);
}

}  // namespace

TEST_CASE("FPDGD with GammaNoise is resumed bit by bit") {
  auto const data = toy_dataset();
  check_resumed(fpdgd(LinearRanker(5, Start::random), CascadeModel::informational(3), {}, GammaNoise{}),
                split_iid(data, {.clients = 40, .interactions = 3}), [](auto& training) {
                  for (int i = 0; i < 3; ++i) training.advance();
                  CHECK(training.round().privacy->epsilon_nominal == Approx(7 * 4.5));
                });
}

TEST_CASE("FOLtR-ES with dropout and Adam is resumed bit by bit") {
  auto const data = toy_dataset();
  check_resumed(foltr_es(NeuralRanker(5, {.hidden = 3}), CascadeModel::informational(3)),
                Sampled{Dropout{split_iid(data, {.clients = 60, .interactions = 4}), 0.3}, 30}, [](auto& training) {
                  for (int i = 0; i < 3; ++i) training.advance();
                });
}

TEST_CASE("FedPer is resumed bit by bit, and forgets") {
  auto const data = toy_dataset();
  std::vector<Client> clients;
  for (std::uint32_t i = 0; i < 20; ++i) clients.push_back({i, 3, QueryPool(data, {i, 39 - i})});
  auto const federation =
      make_federation(NeuralWithHead(5, {.hidden = 4}), CascadeModel::perfect(3), Personal<Pdgd>{}, FedAvg{});
  auto const forgets = [](auto& training) {
    training.advance();
    training.forget({3, 4});
    training.advance();
    CHECK(training.round().tally.reported == 18);
  };
  check_resumed(federation.with_unlearner(FedEraser{}), clients, forgets);
  check_resumed(federation.with_unlearner(Retrain{}), clients, forgets);
}

TEST_CASE("the state of other clients or of another ranker is refused") {
  auto const data = toy_dataset();
  auto const federation =
      make_federation(NeuralWithHead(5, {.hidden = 4}), CascadeModel::perfect(3), Personal<Pdgd>{}, FedAvg{});
  auto const saved = field_bytes(federation.start(split_iid(data, {.clients = 8, .interactions = 2})));
  auto other = federation.start(split_iid(data, {.clients = 9, .interactions = 2}));
  CHECK_THROWS_AS(restore(other, saved), FormatError);
  auto smaller = federation.with_ranker(NeuralWithHead(5, {.hidden = 3}))
                     .start(split_iid(data, {.clients = 8, .interactions = 2}));
  CHECK_THROWS_AS(restore(smaller, saved), FormatError);
}

TEST_CASE("a trained ranker is a start model as it is, also with a random start") {
  auto const data = toy_dataset();
  auto const clients = split_iid(data, {.clients = 10, .interactions = 2});
  auto const check = [&](auto ranker) {
    auto first = fpdgd(ranker, CascadeModel::perfect(3)).start(clients);
    auto const drawn = first.ranker();
    CHECK_FALSE(same_bits(drawn, ranker));
    first.advance();
    CHECK(same_bits(fpdgd(first.ranker(), CascadeModel::perfect(3)).start(clients, {.seed = 99}).ranker(),
                    first.ranker()));
  };
  check(LinearRanker(5, Start::random));
  check(NeuralRanker(5, {.hidden = 3}));
  auto by_hand = NeuralRanker(5, {.hidden = 3});
  by_hand.parameters()[0] = 1.0F;
  CHECK(same_bits(fpdgd(by_hand, CascadeModel::perfect(3)).start(clients).ranker(), by_hand));
}
