// Ranks: the state of a client stays in the process of its block. Other processes read it through a reduction.
#include "frame/ranks.hpp"

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include <fltr/aggregators/fed_avg.hpp>
#include <fltr/aggregators/krum.hpp>
#include <fltr/click_models/cascade_model.hpp>
#include <fltr/federation/history_files.hpp>
#include <fltr/learners/personal.hpp>
#include <fltr/metrics/ndcg.hpp>
#include <fltr/partition/iid.hpp>
#include <fltr/presets/fpdgd.hpp>
#include <fltr/privatizers/gamma_noise.hpp>
#include <fltr/rankers/linear_ranker.hpp>
#include <fltr/rankers/split_neural_ranker.hpp>
#include <fltr/unlearners/fed_eraser.hpp>

#include "frame/masked_sum.hpp"
#include "support/catch.hpp"
#include "support/same_bits.hpp"
#include "support/temporary.hpp"
#include "support/toy_dataset.hpp"

namespace {

using namespace fltr;
using fltr::testing::MaskedSum;
using fltr::testing::Ranks;
using fltr::testing::same_bits;
using fltr::testing::toy_dataset;

/// Throws if `holds` is false. CHECK would not work on other ranks than 0, whose processes have no test case.
void expect(bool holds) {
  if (!holds) throw std::logic_error("a rank disagrees");
}

}  // namespace

TEST_CASE("FPDGD, Krum and a masked sum on 1 to 4 ranks give the bits of Serial on every rank") {
  auto const data = toy_dataset();
  auto const clients = split_iid(data, {.clients = 70, .interactions = 3});
  auto const check = [&](auto const& federation) {
    auto serial = federation.start(clients, {.seed = 5});
    for (int i = 0; i < 2; ++i) serial.advance();
    for (std::size_t count : {1U, 2U, 3U, 4U})
      CHECK(Ranks::run(count, [&](Ranks const& ranks) {
        auto training = federation.with_execution(ranks).start(clients, {.seed = 5});
        for (int i = 0; i < 2; ++i) training.advance();
        expect(field_bytes(training) == field_bytes(serial));
      }));
  };
  auto const federation = fpdgd(LinearRanker(5), CascadeModel::informational(3), {}, GammaNoise{});
  check(federation);
  check(federation.with_aggregator(Krum{}));
  check(federation.with_aggregator(MaskedSum{}));
}

TEST_CASE("Client states stay on the rank of their block; ranker_of, client_state and evaluate_personal find them") {
  auto const data = toy_dataset();
  std::vector<Client> clients;
  for (std::uint32_t i = 0; i < 40; ++i) clients.push_back({i, 3, QueryPool(data, {i, 39 - i})});
  auto const federation =
      make_federation(SplitNeuralRanker(5, {.hidden = 4}), CascadeModel::perfect(3), Personal<Pdgd>{}, FedAvg{})
          .with_unlearner(FedEraser{.interval = 2, .local_steps = 1});
  auto const all = [&](Client const&) -> Dataset const& { return data; };
  auto serial = federation.start(clients);
  for (int i = 0; i < 4; ++i) serial.advance();
  auto const expected = serial.evaluate_personal(Ndcg{}, all);
  auto forgetful = serial;
  forgetful.forget({4, 37});
  fltr::testing::TemporaryFolder const folder;
  CHECK(Ranks::run(3, [&](Ranks const& ranks) {
    auto training = federation.with_execution(ranks).start(clients);
    for (int i = 0; i < 4; ++i) training.advance();
    expect(same_bits(training.ranker(), serial.ranker()));
    for (std::size_t i = 0; i < clients.size(); ++i) {
      bool const here = ranks.owner(i / 16, 3) == ranks.rank();
      expect(training.client_states()[i].learner.own.empty() != here);
      expect(same_bits(training.ranker_of(i), serial.ranker_of(i)));
      expect(same_bits(training.client_state(i), serial.client_state(i)));
    }
    expect(training.evaluate_personal(Ndcg{}, all) == expected);
    // Each rank writes and reads the histories of its own clients.
    write_histories(folder.path(), training);
    for (std::size_t i = 0; i < clients.size(); ++i) training.set_kept(i, {});
    std::size_t const read = read_histories(folder.path(), training);
    expect(read == (ranks.rank() == 2 ? 8U : 16U));
    training.forget({4, 37});
    expect(same_bits(training.ranker(), forgetful.ranker()));
    for (std::size_t i = 0; i < clients.size(); ++i)
      expect(same_bits(training.client_state(i), forgetful.client_state(i)));
  }));
}
