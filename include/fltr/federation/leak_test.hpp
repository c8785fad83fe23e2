#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <fltr/concepts/population.hpp>
#include <fltr/concepts/ranker.hpp>
#include <fltr/core/error.hpp>
#include <fltr/core/observer.hpp>
#include <fltr/data/client.hpp>
#include <fltr/federation/detail/observed_unlearner.hpp>
#include <fltr/unlearners/verify.hpp>

namespace fltr {

struct LeakOptions {
  std::vector<ClientId> forget{};
  std::uint32_t rounds = 100;
  std::size_t counted = 200;   ///< pairs of trainings that the result counts
  std::size_t choosing = 100;  ///< pairs before them, by which the observer chooses its distinguisher
  std::uint64_t seed = 1;      ///< of the first pair; the others have the next numbers
};

/// The leak of the model after the federation's unlearner, after Retrain, and of the model that forgot nobody.
struct LeakTest {
  Leak unlearned;
  Leak retrained;
  Leak nothing;
};

/// Can somebody tell from a model which of two data sets the forgotten clients held? Trains pairs of federations with
/// one seed, on two populations that differ in the data of the clients to forget, lets each forget these clients, and
/// measures the advantage of an observer (`leak_advantage` says what it knows).
///
/// `retrained` is 0, because both models of a pair have the same bits. `nothing` is the advantage if no client is
/// forgotten: if it is near 0, the test says nothing, because this observer cannot tell the data sets apart at all.
///
/// The observer argument is called after each pair with the number of pairs so far. It may return false: the test then
/// ends, and the result is none.
template <class F, Population Clients, Observer<std::size_t> O = NoObserver>
requires ParametricRanker<typename F::Policies::Ranker>
[[nodiscard]] std::optional<LeakTest> leak_test(F const& federation, Clients const& first, Clients const& second,
                                                LeakOptions const& options, O&& observer = {}) {
  using R = typename F::Policies::Ranker;
  using U = typename F::Policies::Unlearner;
  require(options.counted > 0, "leak_test", "at least one counted pair", options.counted);
  require(options.choosing >= 2, "leak_test", "at least 2 pairs to choose by", options.choosing);
  detail::ReplayControl<R> control;
  auto const observed =
      federation.with_unlearner(detail::ObservedUnlearner<U, R>{federation.policies().unlearner, &control});

  struct Worlds {
    std::vector<std::vector<float>> first;
    std::vector<std::vector<float>> second;
  };
  Worlds unlearned;
  Worlds retrained;
  Worlds nothing;
  auto const weights = [](R const& ranker) {
    return std::vector<float>(ranker.parameters().begin(), ranker.parameters().end());
  };
  for (std::size_t pair = 0; pair < options.choosing + options.counted; ++pair) {
    for (bool const in_second : {false, true}) {
      auto const world = in_second ? &Worlds::second : &Worlds::first;
      auto training = observed.start(in_second ? second : first, {.seed = options.seed + pair});
      training.run(options.rounds);
      (nothing.*world).push_back(weights(training.ranker()));
      auto copy = training;
      control.retrain = true;
      copy.forget(options.forget);
      (retrained.*world).push_back(weights(copy.ranker()));
      control.retrain = false;
      training.forget(options.forget);
      (unlearned.*world).push_back(weights(training.ranker()));
    }
    if (!observe(observer, pair + 1)) return std::nullopt;
  }
  auto const leak = [&](Worlds const& worlds) { return leak_advantage(worlds.first, worlds.second, options.choosing); };
  return LeakTest{leak(unlearned), leak(retrained), leak(nothing)};
}

}  // namespace fltr
