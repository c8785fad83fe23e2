// What the frame gives to unlearners: replays, their random numbers, their price, and the refusals of `forget`.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include <fltr/click_models/cascade_model.hpp>
#include <fltr/click_models/no_clicks.hpp>
#include <fltr/partition/iid.hpp>
#include <fltr/partition/sampled.hpp>
#include <fltr/presets/foltr_es.hpp>
#include <fltr/presets/fpdgd.hpp>
#include <fltr/privatizers/gamma_noise.hpp>
#include <fltr/privatizers/laplace_noise.hpp>
#include <fltr/privatizers/randomized_metric.hpp>
#include <fltr/rankers/linear_ranker.hpp>
#include <fltr/unlearners/retrain.hpp>

#include "support/catch.hpp"
#include "support/same_bits.hpp"
#include "support/toy_dataset.hpp"

namespace {

using namespace fltr;
using fltr::testing::same_bits;
using fltr::testing::toy_dataset;

std::vector<Client> clients(Dataset const& data, Dataset const& of_second, std::size_t count = 6) {
  std::vector<Client> out;
  for (std::uint32_t i = 0; i < count; ++i)
    out.push_back({10 * i + 1, 4, i == 2 ? QueryPool(of_second) : QueryPool(data, {i, i + 8, i + 16})});
  return out;
}

/// Keeps the length of each update. A replay of round 1 scales the new update to the kept length.
struct OneRound {
  struct State {
    std::map<std::uint32_t, double> lengths{};
    auto fields(auto&& visit) { return visit(lengths); }
  };
  [[nodiscard]] bool keeps(std::uint32_t) const { return true; }
  void record(State& kept, std::uint32_t round, auto const& global, LocalWeights const& message) const {
    kept.lengths[round] = distance(global, message.values);
  }
  void unlearn(auto& replay) const {
    auto const at = replay.ranker;
    auto const statistics =
        replay.step(1, 1, [](State const& kept, std::uint32_t number, auto const& global, LocalWeights& message) {
          double const factor = kept.lengths.at(number) / distance(global, message.values);
          auto const weights = global.parameters();
          for (std::size_t k = 0; k < weights.size(); ++k)
            message.values[k] = weights[k] + static_cast<float>(factor) * (message.values[k] - weights[k]);
        });
    if (statistics.reported != 1 || statistics.lists != 1) throw std::logic_error("one client, one step");
    length = distance(at, replay.ranker.parameters());
  }
  static double distance(auto const& ranker, std::span<float const> values) {
    double squares = 0.0;
    for (std::size_t k = 0; k < values.size(); ++k)
      squares += std::pow(static_cast<double>(values[k] - ranker.parameters()[k]), 2);
    return std::sqrt(squares);
  }
  mutable double length = 0.0;
};

struct WithdrawsFirst : Retrain {
  void unlearn(auto& replay) const {
    auto const statistics = replay.step(
        1, 0, [](auto const&, std::uint32_t, auto const&, LocalWeights& message) { return message.values[0] > 0.0F; });
    withdrawn = statistics.withdrawn;
    reported = statistics.reported;
  }
  mutable std::uint64_t withdrawn = 0;
  mutable std::uint64_t reported = 0;
};

/// Returns each Correction for one of the clients 1, 11, 21 and 31.
struct ReturnsCorrections {
  struct State {
    std::uint32_t number = 0;
    auto fields(auto&& visit) { return visit(number); }
  };
  [[nodiscard]] bool keeps(std::uint32_t) const { return false; }
  void record(State&, std::uint32_t, auto const&, auto const&) const {}
  void unlearn(auto& replay) const {
    replay.step(1, 0, [](State const& kept, std::uint32_t, auto const&, LocalWeights const&) {
      return static_cast<Correction>(kept.number);
    });
    replay.step(2, 0, [](auto const&...) {});
  }
};

struct AsksForMore : Retrain {
  void unlearn(auto& replay) const {
    replay.step(1, 400, [](auto const&...) {});
  }
};

struct AsksForTwo : Retrain {
  void unlearn(auto& replay) const {
    replay.step(1, 2, [](auto const&...) {});
  }
};

/// All clients send zeros, so that a message is its noise.
struct SendsZeros {
  using Message = LocalWeights;
  LocalWeights learn(auto const& ranker, auto const& client, auto&) const {
    return {std::vector<float>(ranker.parameters().size()), client.interactions};
  }
};
struct KeepsMessages {
  struct State {
    std::vector<float> of_eleven;
    auto fields(auto&& visit) { return visit(of_eleven); }
  };
  void aggregate(std::span<ClientMessage<LocalWeights> const> all, auto&, State& state) const {
    for (auto const& sent : all)
      if (sent.client == 11) state.of_eleven = sent.message.values;
  }
};
/// Replays the first round, then throws if `fails`.
struct FailsOnDemand : Retrain {
  void unlearn(auto& replay) const {
    replay.step(1, 0, [](auto const&...) {});
    if (fails) throw std::runtime_error("connection lost");
  }
  inline static bool fails = false;
};
struct ReplaysTwice : Retrain {
  ReplaysTwice(std::uint32_t one, std::uint32_t two) : first(one), second(two) {}
  void unlearn(auto& replay) const {
    replay.step(first, 0, [](auto const&...) {});
    replay.step(second, 0, [](auto const&...) {});
  }
  std::uint32_t first;
  std::uint32_t second;
};
/// Throws if a client is told another number of participants than `expected`.
struct ExpectsParticipants {
  LocalWeights privatize(LocalWeights message, PrivacyContext const& context) const {
    require(context.participants == expected, "ExpectsParticipants", std::to_string(expected), context.participants);
    return message;
  }
  inline static std::uint64_t expected = 6;
};

auto run(auto const& federation, auto population, int rounds = 5, RunOptions options = {.seed = 5}) {
  auto training = federation.start(population, options);
  for (int i = 0; i < rounds; ++i) training.advance();
  return training;
}

}  // namespace

TEST_CASE("The random numbers of a replay are a function of the seed and the set of forgotten clients") {
  auto const data = toy_dataset();
  auto const federation =
      fpdgd(LinearRanker(5), CascadeModel::informational(3), {}, GammaNoise{}).with_unlearner(Retrain{});
  auto const trained = run(federation, clients(data, data));
  auto one = trained;
  auto two = trained;
  auto again = trained;
  one.forget({1});
  two.forget({11});
  again.forget({1});
  CHECK(same_bits(one.ranker(), again.ranker()));
  CHECK_FALSE(same_bits(one.ranker(), two.ranker()));
  CHECK(fltr::detail::replay_seed(5, {1}) != fltr::detail::replay_seed(5, {11}));
  CHECK(fltr::detail::replay_seed(5, {1}) != fltr::detail::replay_seed(5, {1, 11}));
  CHECK(fltr::detail::replay_seed(5, {1}) != fltr::detail::replay_seed(6, {1}));
}

TEST_CASE("The noise of a client differs between the round, each replay, and each attempt of a replay") {
  auto const data = toy_dataset();
  // A message is its noise. The aggregator keeps the message of client 11.
  auto const federation =
      make_federation(LinearRanker(5), NoClicks{}, SendsZeros{}, KeepsMessages{}, LaplaceNoise{.epsilon = 0.1})
          .with_unlearner(FailsOnDemand{});
  auto const trained = run(federation, clients(data, data), 1);
  std::set<std::vector<float>> noises{trained.server_state().of_eleven};
  for (ClientId forgotten : {1U, 21U, 31U}) {
    auto copy = trained;
    copy.forget({forgotten});
    noises.insert(copy.server_state().of_eleven);
  }
  auto two = trained;
  two.forget({1, 21});
  noises.insert(two.server_state().of_eleven);
  // A replay that fails after its first round has sent messages: the next attempt must not repeat their noise.
  auto failed = trained;
  FailsOnDemand::fails = true;
  CHECK_THROWS_AS(failed.forget({1}), std::runtime_error);
  FailsOnDemand::fails = false;
  failed.forget({1});
  noises.insert(failed.server_state().of_eleven);
  CHECK(noises.size() == 6);
}

TEST_CASE("Replay::step requires rising rounds") {
  auto const data = toy_dataset();
  auto const federation = fpdgd(LinearRanker(5), CascadeModel::informational(3));
  auto twice = run(federation.with_unlearner(ReplaysTwice{1, 1}), clients(data, data), 3);
  CHECK_THROWS_WITH(twice.forget({1}), "Replay::step: required a round from 2 to 3, got 1");
  auto back = run(federation.with_unlearner(ReplaysTwice{3, 2}), clients(data, data), 3);
  CHECK_THROWS_AS(back.forget({1}), std::invalid_argument);
  auto beyond = run(federation.with_unlearner(ReplaysTwice{3, 4}), clients(data, data), 3);
  CHECK_THROWS_AS(beyond.forget({1}), std::invalid_argument);
}

TEST_CASE("After forget, the noise share is computed from the remaining clients") {
  auto const data = toy_dataset();
  auto training =
      run(fpdgd(LinearRanker(5), CascadeModel::informational(3), {}, ExpectsParticipants{}).with_unlearner(Retrain{}),
          clients(data, data), 2);
  ExpectsParticipants::expected = 5;
  CHECK_NOTHROW(training.forget({21}));  // in the replay
  CHECK_NOTHROW(training.advance());     // and after it
  ExpectsParticipants::expected = 6;
}

TEST_CASE("A replay gives each client its record; a replay records nothing and clears the forgotten client's records") {
  auto const data = toy_dataset();
  auto training =
      run(fpdgd(LinearRanker(5), CascadeModel::informational(3)).with_unlearner(OneRound{}), clients(data, data, 2), 3);
  auto const kept = training.client_state(0).kept.lengths;
  REQUIRE(kept.size() == 3);
  training.forget({11});
  // One client is left, with one step: the model moved as far as the kept update.
  CHECK(training.policies().unlearner.length == Approx(kept.at(1)).epsilon(1e-4));
  CHECK(training.client_state(0).kept.lengths == kept);
  CHECK(training.client_state(1).kept.lengths.empty());
}

TEST_CASE("forget returns the number of replayed rounds and their statistics, with a count of each Correction") {
  auto const data = toy_dataset();
  auto training = run(fpdgd(LinearRanker(5), CascadeModel::informational(3)).with_unlearner(ReturnsCorrections{}),
                      clients(data, data), 3);
  for (std::uint32_t i = 0; i < 4; ++i) training.set_kept(i, {i});
  ReplayReport const report = training.forget({51});
  CHECK(report.rounds == 2);
  CHECK(report.statistics.unrecorded == 1);
  CHECK(report.statistics.zero_updates == 1);
  CHECK(report.statistics.withdrawn == 1);
  CHECK(report.statistics.reported == 4 + 5);
  CHECK(report.statistics.lists == 4 * (5 + 5));  // of a withdrawn message too: its client worked
  CHECK_THROWS_WITH(training.set_kept(5, {}), "Training::set_kept: required a client that is not forgotten, got 51");
}

TEST_CASE("A message that `correct` withdraws is counted and not aggregated") {
  auto const data = toy_dataset();
  auto training = run(fpdgd(LinearRanker(5), CascadeModel::informational(3)).with_unlearner(WithdrawsFirst{}),
                      split_iid(data, {.clients = 40, .interactions = 1}), 1);
  training.forget({7});
  CHECK(training.policies().unlearner.withdrawn + training.policies().unlearner.reported == 39);
  CHECK(training.policies().unlearner.withdrawn > 0);
  CHECK(training.policies().unlearner.reported > 0);
}

TEST_CASE("A replay never asks for more interactions than the training, and is charged for those that it asks for") {
  auto const data = toy_dataset();
  auto const federation =
      foltr_es(LinearRanker(5), CascadeModel::informational(3), {}, {}, RandomizedMetric::max_rr(0.5));
  double const one = RandomizedMetric::max_rr(0.5).epsilon();  // ln 10 = 2.303 per measurement
  auto more = run(federation.with_unlearner(AsksForMore{}), split_iid(data, {.clients = 5, .interactions = 4}), 1);
  CHECK(more.round().privacy->epsilon_accounted == Approx(4 * one));
  more.forget({1});
  CHECK(more.privacy_of(0)->epsilon_accounted == Approx(8 * one).epsilon(0.03));  // by Rényi divergences
  CHECK(more.privacy_of(0)->rho == Approx(8 * one * one / 2));
  CHECK(more.privacy_of(1)->rho == Approx(4 * one * one / 2));  // the forgotten client took no part in the replay
  auto two = run(federation.with_unlearner(AsksForTwo{}), split_iid(data, {.clients = 5, .interactions = 4}), 1);
  two.forget({1});
  CHECK(two.privacy_of(0)->rho == Approx(6 * one * one / 2));
  // The replay asks for 400 interactions, as many as these clients have: 400 measurements are charged.
  auto many = run(federation.with_unlearner(AsksForMore{}), split_iid(data, {.clients = 5, .interactions = 400}), 1);
  double const before = many.privacy_of(0)->rho;
  many.forget({1});
  CHECK(many.privacy_of(0)->rho - before == Approx(400 * one * one / 2));
}

TEST_CASE("A replay throws before it exceeds the budget; the ranker is unchanged, the replayed rounds are charged") {
  auto const data = toy_dataset();
  auto const federation =
      foltr_es(LinearRanker(5), CascadeModel::informational(3), {}, {}, RandomizedMetric::max_rr(0.5))
          .with_unlearner(Retrain{});
  double const round = 4 * RandomizedMetric::max_rr(0.5).epsilon();
  auto training = run(federation, split_iid(data, {.clients = 5, .interactions = 4}), 3,
                      {.seed = 5, .epsilon_budget = 4.5 * round, .delta = 0.0});
  auto const before = training.ranker();
  CHECK_THROWS_AS(training.forget({1}), std::runtime_error);
  CHECK(same_bits(training.ranker(), before));
  CHECK(training.forgotten_clients().empty());
  CHECK(training.round().privacy->epsilon_accounted == Approx(4 * round));
}

TEST_CASE(
    "forget refuses an empty list, repeated ids, unknown clients, clients that never took part, and all clients") {
  auto const data = toy_dataset();
  auto const federation = fpdgd(LinearRanker(5), CascadeModel::informational(3)).with_unlearner(Retrain{});
  auto training = run(federation, clients(data, data), 2);
  auto const before = field_bytes(training);
  CHECK_THROWS_WITH(training.forget({}), "Training::forget: required at least one client, got 0");
  CHECK_THROWS_WITH(training.forget({2}), "Training::forget: required a client of the population, got 2");
  CHECK_THROWS_WITH(training.forget({1, 1}), "Training::forget: required each client once, got client 1 twice");
  CHECK_THROWS_WITH(training.forget({1, 11, 21, 31, 41, 51}),
                    "Training::forget: required a client that stays, got all clients of the population");
  CHECK(field_bytes(training) == before);
  training.forget({1});
  CHECK_THROWS_WITH(training.forget({1}), "Training::forget: required a client that is not yet forgotten, got 1");
  CHECK_THROWS_AS(training.forget({11, 21, 31, 41, 51}), std::invalid_argument);

  // A client that was never asked took no part.
  auto sampled = run(federation, Sampled{clients(data, data), 1}, 1);
  int refused = 0;
  for (ClientId id : {1U, 11U, 21U, 31U, 41U, 51U}) {
    auto copy = sampled;
    try {
      copy.forget({id});
    } catch (std::invalid_argument const& error) {
      CHECK(error.what() == "Training::forget: required a client that took part in a round, got " + std::to_string(id));
      ++refused;
    }
  }
  CHECK(refused == 5);
}
