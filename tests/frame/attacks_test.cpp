// Attackers that see their own messages only, attackers that see all messages, and the AttackContext that they get.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include <fltr/aggregators/fed_avg.hpp>
#include <fltr/aggregators/krum.hpp>
#include <fltr/click_models/cascade_model.hpp>
#include <fltr/partition/dropout.hpp>
#include <fltr/partition/iid.hpp>
#include <fltr/partition/sampled.hpp>
#include <fltr/presets/fpdgd.hpp>
#include <fltr/privatizers/laplace_noise.hpp>
#include <fltr/rankers/linear_ranker.hpp>

#include "support/catch.hpp"
#include "support/policies.hpp"
#include "support/same_bits.hpp"
#include "support/toy_dataset.hpp"

namespace {

using namespace fltr;
using fltr::testing::FirstClients;
using fltr::testing::same_bits;
using fltr::testing::toy_dataset;

/// The attack "A Little Is Enough": attackers send the mean of their messages, shifted by z standard deviations of
/// their messages. The sign of the shift is random per round.
struct ShiftedMean {
  FirstClients malicious;
  double z = 1.0;
  template <FlatMessage M, class R>
  void poison(std::span<ClientMessage<M>> mine, R const&, AttackContext const& context) const {
    double const sign = context.stream.bernoulli(0.5) ? z : -z;
    auto const n = static_cast<double>(mine.size());
    for (std::size_t k = 0; k < mine[0].message.values.size(); ++k) {
      double sum = 0.0;
      double squares = 0.0;
      for (auto const& sent : mine) sum += static_cast<double>(sent.message.values[k]);
      for (auto const& sent : mine) squares += std::pow(static_cast<double>(sent.message.values[k]) - sum / n, 2);
      for (auto& sent : mine) sent.message.values[k] = static_cast<float>(sum / n + sign * std::sqrt(squares / n));
    }
  }
};

/// Attackers who see all messages send the opposite of the honest mean. They write the round and the
/// number of participants into the last two weights.
struct OppositeOfAll {
  FirstClients malicious;
  template <FlatMessage M, class R>
  void poison(std::span<ClientMessage<M>> mine, std::span<ClientMessage<M> const> others, R const&,
              AttackContext const& context) const {
    for (auto& sent : mine) {
      auto& values = sent.message.values;
      std::ranges::fill(values, 0.0F);
      for (auto const& other : others)
        for (std::size_t k = 0; k < values.size(); ++k)
          values[k] -= other.message.values[k] / static_cast<float>(others.size());
      values[3] = static_cast<float>(context.round);
      values[4] = static_cast<float>(context.participants);
    }
  }
};

/// Leaves the ranker unchanged, and keeps the messages of the last round.
struct KeepsAll {
  struct State {
    std::vector<ClientMessage<LocalWeights>> last;
    auto fields(auto&& visit) { return visit(last); }
  };
  void aggregate(std::span<ClientMessage<LocalWeights> const> all, auto&, State& state) const {
    state.last.assign(all.begin(), all.end());
  }
};

/// Attackers that change the sender of their messages.
struct Impersonates {
  FirstClients malicious;
  void poison(std::span<ClientMessage<LocalWeights>> mine, auto const&, AttackContext const&) const {
    for (auto& sent : mine) {
      sent.client = 19;
      sent.position = 0;
    }
  }
};

auto run(auto const& federation, auto clients, int rounds = 3) {
  auto training = federation.start(clients, {.seed = 5});
  for (int i = 0; i < rounds; ++i) training.advance();
  return training;
}

}  // namespace

TEST_CASE("An attack without malicious clients gives bit-identical results: streamed, gathered, sampled, with noise") {
  auto const data = toy_dataset();
  auto const clients = Sampled{Dropout{split_iid(data, {.clients = 60, .interactions = 3}), 0.2}, 30};
  auto const check = [&](auto const& federation) {
    auto const expected = run(federation, clients);
    CHECK(same_bits(run(federation.with_attack(ShiftedMean{}), clients).ranker(), expected.ranker()));
    CHECK(same_bits(run(federation.with_attack(OppositeOfAll{}), clients).ranker(), expected.ranker()));
  };
  auto const federation = fpdgd(LinearRanker(5), CascadeModel::perfect(3));
  check(federation);
  check(federation.with_aggregator(Krum{}));
  check(federation.with_privatizer(LaplaceNoise{.epsilon = 5.0}));
}

TEST_CASE("The AttackContext has the round, the number of participants, and a stream that no other part uses") {
  auto const data = toy_dataset();
  auto const clients = split_iid(data, {.clients = 20, .interactions = 3});
  auto const federation = fpdgd(LinearRanker(5), CascadeModel::perfect(3));
  auto const told = run(federation.with_aggregator(KeepsAll{}).with_attack(OppositeOfAll{{2}}), clients, 3);
  for (std::size_t i = 0; i < 20; ++i) {
    auto const& sent = told.server_state().last.at(i);
    CHECK(sent.client == i);
    CHECK((sent.message.values[3] == 3.0F && sent.message.values[4] == 20.0F) == (i < 2));
  }
  auto const streamed = run(federation.with_attack(ShiftedMean{{8}}), clients);
  CHECK_FALSE(same_bits(streamed.ranker(), run(federation, clients).ranker()));
  CHECK(same_bits(streamed.ranker(), run(federation.with_attack(ShiftedMean{{8}}), clients).ranker()));
  CHECK(streamed.round().statistics.noiseless == 8);
}

TEST_CASE("Attackers cannot change the sender of a message") {
  auto const data = toy_dataset();
  auto const clients = split_iid(data, {.clients = 20, .interactions = 3});
  auto const federation = fpdgd(LinearRanker(5), CascadeModel::perfect(3));
  CHECK(same_bits(run(federation.with_attack(Impersonates{{5}}), clients).ranker(), run(federation, clients).ranker()));
}
