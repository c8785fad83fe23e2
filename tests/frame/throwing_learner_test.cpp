// A round that throws changes nothing.
#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

#include <fltr/aggregators/fed_opt.hpp>
#include <fltr/click_models/cascade_model.hpp>
#include <fltr/execution/threads.hpp>
#include <fltr/federation/make_federation.hpp>
#include <fltr/learners/pdgd.hpp>
#include <fltr/partition/iid.hpp>
#include <fltr/privatizers/gamma_noise.hpp>
#include <fltr/privatizers/laplace_noise.hpp>
#include <fltr/rankers/linear_ranker.hpp>
#include <fltr/unlearners/fed_eraser.hpp>

#include "support/catch.hpp"
#include "support/same_bits.hpp"
#include "support/toy_dataset.hpp"

namespace {

using namespace fltr;
using fltr::testing::same_bits;
using fltr::testing::toy_dataset;

/// PDGD with a count of rounds at each client. While `*fails`, client 33 throws after its work.
struct Fails : Pdgd {
  struct State {
    std::uint32_t rounds = 0;
    auto fields(auto&& visit) { return visit(rounds); }
  };
  bool const* fails = nullptr;

  template <DifferentiableRanker R>
  std::uint32_t train(R& local, auto const& client, auto& session) const {
    std::uint32_t const interactions = Pdgd::train(local, client, session);
    ++session.state.rounds;
    if (*fails && client.id == 33) throw std::runtime_error("out of battery");
    return interactions;
  }
};

/// Throws in the middle of `aggregate`, when the ranker and the state are half changed.
struct FailsAtServer : FedOpt<Adam> {
  bool const* fails = nullptr;
  void aggregate(WeightSum total, ParametricRanker auto& ranker, State& state) const {
    FedOpt<Adam>::aggregate(total, ranker, state);
    if (*fails) throw std::runtime_error("server on fire");
  }
};

struct FailsToPrivatize {
  static constexpr bool draws_noise = false;
  bool const* fails = nullptr;
  LocalWeights privatize(LocalWeights message, PrivacyContext const&) const {
    if (*fails) throw std::runtime_error("no noise today");
    return message;
  }
};

struct FailsToPrice : GammaNoise {
  bool const* fails = nullptr;
  PrivacyLoss loss(RoundRelease const& release) const {
    if (*fails) throw std::runtime_error("no price today");
    return GammaNoise::loss(release);
  }
  auto members(auto&& visit) const { return visit(static_cast<GammaNoise const&>(*this)); }
};

/// Gives every client its own message as its ranker. While `*fails`, throws for client 33.
struct FailsToMerge {
  bool const* fails = nullptr;
  void aggregate(std::span<ClientMessage<LocalWeights> const> all, LinearRanker& ranker) const {
    ranker = LinearRanker(all.front().message.values);
  }
  LinearRanker personalize(std::span<ClientMessage<LocalWeights> const> all, Client const& client) const {
    if (*fails && client.id == 33) throw std::runtime_error("no merge today");
    return LinearRanker(all[client.id].message.values);
  }
};

/// `rounds`: before the first failure.
void check_unchanged(auto federation, bool& fails, int rounds = 1) {
  auto const data = toy_dataset();
  auto const clients = split_iid(data, {.clients = 70, .interactions = 2});
  auto training = federation.start(clients);
  auto expected = federation.start(clients);
  for (int i = 0; i < rounds; ++i) {
    training.advance();
    expected.advance();
  }
  // Everything but the privacy account, which has the price of the failed round until the round is run again.
  auto const rest = [&] {
    FieldWriter writer;
    writer.write(training.number());
    writer.write(training.ranker());
    writer.write(training.server_state());
    writer.write(training.client_states());
    writer.write(training.round().statistics);
    return std::move(writer).bytes();
  };
  auto const before = field_bytes(training);
  auto const rest_before = rest();
  for (int i = 0; i < 3; ++i) {
    fails = true;
    CHECK_THROWS_AS(training.advance(), std::runtime_error);
    fails = false;
    CHECK(((field_bytes(training) == before) != training.accounted));
    CHECK(rest() == rest_before);
  }
  training.advance();
  expected.advance();
  CHECK(field_bytes(training) == field_bytes(expected));
}

}  // namespace

TEST_CASE("A learner that throws in a round leaves the training unchanged") {
  bool fails = false;
  auto const federation =
      make_federation(LinearRanker(5), CascadeModel::informational(3), Fails{{}, &fails}, FedOpt<Adam>{}, GammaNoise{})
          .with_unlearner(FedEraser{.interval = 2, .local_steps = 1});
  check_unchanged(federation, fails);
  check_unchanged(federation.with_execution(Threads{3}), fails);
}

TEST_CASE("An aggregator that throws after it changed the ranker leaves the training unchanged") {
  bool fails = false;
  check_unchanged(
      make_federation(LinearRanker(5), CascadeModel::informational(3), Pdgd{}, FailsAtServer{{}, &fails}, GammaNoise{})
          .with_unlearner(FedEraser{.interval = 2, .local_steps = 1}),
      fails);
}

TEST_CASE("A privatizer, a loss or a personalize that throws leaves the training unchanged") {
  bool fails = false;
  auto const federation = make_federation(LinearRanker(5), CascadeModel::informational(3), Pdgd{}, FedOpt<Adam>{})
                              .with_unlearner(FedEraser{.interval = 2, .local_steps = 1});
  check_unchanged(federation.with_privatizer(FailsToPrivatize{&fails}), fails);
  check_unchanged(federation.with_privatizer(FailsToPrice{{}, &fails}), fails,
                  0);  // a known price is not computed again
  check_unchanged(federation.with_aggregator(FailsToMerge{&fails}), fails);
}

TEST_CASE("A replayed round that throws is charged, because its messages may have been sent") {
  bool fails = false;
  auto const data = toy_dataset();
  auto training = make_federation(LinearRanker(5), CascadeModel::informational(3), Fails{{}, &fails}, FedOpt<Adam>{},
                                  LaplaceNoise{.epsilon = 0.5})
                      .with_unlearner(FedEraser{.interval = 1, .local_steps = 1})
                      .start(split_iid(data, {.clients = 70, .interactions = 2}), {.delta = 0.0});
  training.advance();
  CHECK(training.round().privacy->epsilon_accounted == 0.5);
  fails = true;
  CHECK_THROWS_AS(training.forget({1}), std::runtime_error);
  CHECK(training.round().privacy->epsilon_accounted == 1.0);
  CHECK(training.privacy_of(1)->epsilon_accounted == 0.5);  // not asked in the replay
}
