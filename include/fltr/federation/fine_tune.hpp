#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include <fltr/concepts/click_model.hpp>
#include <fltr/concepts/learner.hpp>
#include <fltr/concepts/population.hpp>
#include <fltr/core/error.hpp>
#include <fltr/core/random.hpp>
#include <fltr/core/state.hpp>
#include <fltr/core/workspace.hpp>
#include <fltr/federation/client_rankers.hpp>
#include <fltr/federation/detail/evaluate_each.hpp>
#include <fltr/federation/detail/work_interruption.hpp>
#include <fltr/federation/round_statistics.hpp>
#include <fltr/federation/session.hpp>
#include <fltr/federation/training.hpp>
#include <fltr/privatizers/no_privacy.hpp>

namespace fltr {

struct FineTuning {
  /// Interactions of each client with its user. With LocalUpdate::every_interaction, each is one gradient step.
  std::uint32_t steps = 5;
};

/// Every client continues to train a copy of the present global ranker on its own queries and clicks, with the learner
/// of the federation, and uses the result. Nothing is sent: no privatizer clips or changes the weights, the training
/// does not change, and nothing is spent.
///
/// The random numbers are a function of the run's seed, the client and the number of rounds so far; no round uses them.
/// Works on the federation's Execution, with the same bits on each. Clients of Personal start with their own
/// parameters.
///
///     training.run(100);
///     auto const tuned = fltr::fine_tune(training, {.steps = 5});
///     auto const values = tuned.evaluate_personal(fltr::Ndcg{.cutoff = 10}, queries_of);
template <class Policies, Population Clients>
[[nodiscard]] auto fine_tune(Training<Policies, Clients> const& training, FineTuning options = {}) {
  using L = typename Policies::Learner;
  using R = typename Policies::Ranker;
  static_assert(InPlaceLearner<L>,
                "fltr: fine_tune needs a Learner with 'train': other learners (EvolutionStrategy, LambdaMart) have no "
                "local model that could take steps; for Clustered, fine-tune a training of the learner within");
  require(options.steps > 0, "fine_tune", "steps >= 1", options.steps);
  Policies const& policies = training.policies();
  Clients const& clients = training.clients();
  auto rankers = detail::for_each_client(policies.execution, clients, [&](std::size_t i) {
    auto client = clients[i];
    client.interactions = options.steps;
    Streams const next{training.options().seed, training.number() + 1, client.id};
    Stream source = next.of(Purpose::fine_tuning);
    State<L> state{};
    if constexpr (Training<Policies, Clients>::OneClientState::any) state = training.client_states()[i].learner;
    decltype(auto) clicks = clicks_of(policies.click_model, client.id);
    NoPrivacy const nothing_is_sent;
    SessionBuffers<WorkspaceOf<L>, detail::WorkOf<typename Policies::Execution>> buffers;
    buffers.work = detail::work_in_block(policies.execution);
    RoundStatistics statistics;
    Session session(clicks, nothing_is_sent, next.derived(source), state, buffers, statistics);
    R local = training.ranker();
    policies.learner.train(local, client, session);
    return local;
  });
  return ClientRankers(std::move(rankers), clients, policies.execution);
}

}  // namespace fltr
