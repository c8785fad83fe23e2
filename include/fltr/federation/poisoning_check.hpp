#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include <fltr/attacks/inversion.hpp>
#include <fltr/attacks/malicious_clients.hpp>
#include <fltr/concepts/population.hpp>
#include <fltr/core/observer.hpp>
#include <fltr/data/client.hpp>
#include <fltr/federation/detail/evaluate_each.hpp>
#include <fltr/federation/detail/observed_unlearner.hpp>
#include <fltr/federation/replay_report.hpp>
#include <fltr/federation/round_statistics.hpp>

namespace fltr {

/// The trainings of the poisoning check, with the names of Wang 2024 (thesis, section 6.3.1) for one of 10 clients.
enum class CheckedTraining : std::uint8_t {
  honest,     ///< 10H-0M: all clients are honest
  retrained,  ///< 9H-0M: without the clients to forget, by Retrain
  poisoned,   ///< 9H-1M: the clients to forget send −z times their model
  unlearned,  ///< 9H-1M after the federation's unlearner
};

struct PoisoningOptions {
  std::vector<ClientId> forget{};
  std::uint32_t rounds = 2000;
  float z = 2.0F;
  std::uint64_t seed = 1;
};

/// The models of the four trainings, and what it cost to forget.
template <class R>
struct PoisoningCheck {
  R honest;
  R retrained;
  R poisoned;
  R unlearned;
  ReplayReport retraining{};
  ReplayReport unlearning{};
  std::uint64_t history_bytes = 0;  ///< that all clients together kept for the unlearner, if they are a ClientHistory
};

/// What the observer of a poisoning check sees after each round, and at round 0 of each training.
template <class R>
struct CheckedRound {
  CheckedTraining training;
  std::uint32_t number;  ///< in a replay, the number of the original round
  R const& ranker;
  RoundStatistics const& statistics;
};

/// Runs the honest or the poisoned training of a poisoning check up to a round. The observer is called as by
/// Training::run.
struct RunCheckedTraining {
  template <class T, class O>
  void operator()(CheckedTraining, T& training, std::uint32_t rounds, O const& observer) const {
    training.run(rounds, observer);
  }
};

/// The poisoning check (thesis of Wang 2024, section 6.1.4): the clients to forget send −z times their model, so that
/// forgetting shows. An unlearner passes if the quality of `unlearned` is near that of `retrained`, while that of
/// `poisoned` is clearly below. `honest` tells how little an ordinary client matters.
///
/// The federation's own attack is replaced. Its unlearner has the hook `unlearn`. The observer may return false: the
/// check then ends, and the result is none.
///
/// `run` replaces RunCheckedTraining, for example by one that saves the training and continues an interrupted one. Rounds
/// of an earlier process are not observed. Replays are computed again.
///
///     auto const check = fltr::poisoning_check(federation.with_unlearner(fltr::FedEraser{}), clients, {.forget = {3}});
///     double const gap = ndcg(check->retrained) - ndcg(check->poisoned);
template <class F, Population Clients, Observer<CheckedRound<typename F::Policies::Ranker>> O = NoObserver,
          class Run = RunCheckedTraining>
[[nodiscard]] std::optional<PoisoningCheck<typename F::Policies::Ranker>> poisoning_check(
    F const& federation, Clients const& clients, PoisoningOptions const& options, O&& observer = {},
    Run const& run = {}) {
  using R = typename F::Policies::Ranker;
  using U = typename F::Policies::Unlearner;
  struct Stopped {};
  struct Context {
    std::remove_reference_t<O>& observer;
    CheckedTraining training;
  };
  Context context{observer, CheckedTraining::honest};
  auto const show = [](void* to, std::uint32_t round, R const& ranker, RoundStatistics const& statistics) {
    auto const& at = *static_cast<Context*>(to);
    if (!observe(at.observer, CheckedRound<R>{at.training, round, ranker, statistics})) throw Stopped{};
  };
  detail::ReplayControl<R> control{false, &context, show};
  auto const start = [&](MaliciousClients malicious) {
    return federation.with_attack(Inversion{std::move(malicious), options.z})
        .with_unlearner(detail::ObservedUnlearner<U, R>{federation.policies().unlearner, &control})
        .start(clients, {.seed = options.seed});
  };
  auto const begin = [&](CheckedTraining training, R const& ranker) {
    context.training = training;
    show(&context, 0, ranker, {});
  };
  auto const train = [&](auto& training) {
    bool more = true;
    run(context.training, training, options.rounds, [&](auto const& round) {
      more = observe(context.observer,
                     CheckedRound<R>{context.training, round.number, training.ranker(), round.statistics});
      return more;
    });
    if (!more) throw Stopped{};
  };
  try {
    auto honest = start({});
    R const first = honest.ranker();
    begin(CheckedTraining::honest, first);
    train(honest);
    R const honest_ranker = honest.ranker();
    // Retraining does not depend on the forgotten clients, so the honest federation may forget them as well.
    begin(CheckedTraining::retrained, first);
    control.retrain = true;
    ReplayReport const retraining = honest.forget(options.forget);

    auto poisoned = start(MaliciousClients(options.forget));
    begin(CheckedTraining::poisoned, first);
    train(poisoned);
    R const poisoned_ranker = poisoned.ranker();
    std::uint64_t bytes = 0;
    for (std::uint64_t const one :
         detail::for_each_client(federation.policies().execution, clients, [&](std::size_t i) {
           std::uint64_t kept = 0;
           if constexpr (requires { poisoned.client_states()[i].kept.bytes(); })
             kept = poisoned.client_states()[i].kept.bytes();
           return kept;
         }))
      bytes += one;
    begin(CheckedTraining::unlearned, first);
    control.retrain = false;
    ReplayReport const unlearning = poisoned.forget(options.forget);
    return PoisoningCheck<R>{honest_ranker, honest.ranker(), poisoned_ranker, poisoned.ranker(), retraining, unlearning,
                             bytes};
  } catch (Stopped const&) {
    return std::nullopt;
  }
}

}  // namespace fltr
