// Attacks of both kinds of knowledge, and what they are told.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include <fltr/aggregators/fed_avg.hpp>
#include <fltr/click_models/cascade.hpp>
#include <fltr/federation/presets.hpp>
#include <fltr/partition/iid.hpp>
#include <fltr/partition/participation.hpp>
#include <fltr/privatizers/laplace_noise.hpp>
#include <fltr/rankers/linear.hpp>

#include "frame/krum.hpp"
#include "support/catch.hpp"
#include "support/policies.hpp"
#include "support/toy.hpp"

namespace {

using namespace fltr;
using fltr::testing::FirstClients;
using fltr::testing::Krum;
using fltr::testing::same_bits;
using fltr::testing::toy_dataset;

/// Colluding attackers send their common mean, shifted by z of their own standard deviations (a little is enough),
/// with a random sign per round.
struct ShiftedMean {
  FirstClients malicious;
  double z = 1.0;
  template <FlatMessage M, class R>
  void poison(std::span<Sent<M>> mine, R const&, AttackContext const& context) const {
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

/// Attackers who see all messages send the opposite of the honest mean. The round and the number of participants are
/// in the last two weights.
struct OppositeOfAll {
  FirstClients malicious;
  template <FlatMessage M, class R>
  void poison(std::span<Sent<M>> mine, std::span<Sent<M> const> others, R const&, AttackContext const& context) const {
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

/// Changes nothing, and keeps what it was given.
struct KeepsAll {
  struct State {
    std::vector<Sent<LocalWeights>> last;
    auto fields(auto&& visit) { return visit(last); }
  };
  void aggregate(std::span<Sent<LocalWeights> const> all, auto&, State& state) const {
    state.last.assign(all.begin(), all.end());
  }
};

/// Attackers who claim to be somebody else.
struct Impersonates {
  FirstClients malicious;
  void poison(std::span<Sent<LocalWeights>> mine, auto const&, AttackContext const&) const {
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

TEST_CASE("an attack without malicious clients gives bit-identical results, streamed, gathered, sampled and noisy") {
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

TEST_CASE("attackers are told the round and how many were asked; their random numbers are their own") {
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
  CHECK(streamed.round().tally.noiseless == 8);
}

TEST_CASE("attackers cannot take another client's place") {
  auto const data = toy_dataset();
  auto const clients = split_iid(data, {.clients = 20, .interactions = 3});
  auto const federation = fpdgd(LinearRanker(5), CascadeModel::perfect(3));
  CHECK(same_bits(run(federation.with_attack(Impersonates{{5}}), clients).ranker(), run(federation, clients).ranker()));
}
