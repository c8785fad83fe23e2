#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <fltr/attacks/no_attack.hpp>
#include <fltr/concepts/population.hpp>
#include <fltr/core/error.hpp>
#include <fltr/federation/client_rankers.hpp>
#include <fltr/federation/detail/evaluate_each.hpp>
#include <fltr/federation/detail/work_interruption.hpp>
#include <fltr/privatizers/no_privacy.hpp>

namespace fltr {

struct AloneOptions {
  std::uint32_t rounds = 100;
  std::uint64_t seed = 1;
};

/// The baseline without a federation: every client trains for itself, as the only client of a federation with the same
/// ranker, clicks, learner and aggregator. With the seed of a training it draws the same queries and has the same
/// number of interactions as in a training that asks all clients in each round. Client sampling (`participants`)
/// is ignored. There is no privatizer and no attack, because nothing is sent.
///
/// Works on the federation's Execution, with the same bits on each. A ranker that needs several clients
/// (ClusteredRanker) is an error; so train the plain ranker alone.
///
///     auto const alone = fltr::train_alone(federation, clients, {.rounds = 100, .seed = 1});
///     auto const values = alone.evaluate_personal(fltr::Ndcg{.cutoff = 10}, queries_of);
template <class F, Population Clients>
[[nodiscard]] auto train_alone(F const& federation, Clients const& clients, AloneOptions options = {}) {
  require(options.rounds > 0, "train_alone", "rounds >= 1", options.rounds);
  auto const& execution = federation.policies().execution;
  auto const own = federation.with_privatizer(NoPrivacy{})
                       .with_attack(NoAttack{})
                       .with_execution(detail::serial_in_block(execution));
  auto rankers = detail::for_each_client(execution, clients, [&](std::size_t i) {
    auto training = own.start(std::vector<ClientOf<Clients>>{clients[i]}, {.seed = options.seed});
    training.run(options.rounds);
    return training.ranker_of(0);
  });
  return ClientRankers(std::move(rankers), clients, execution);
}

}  // namespace fltr
