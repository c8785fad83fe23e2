#pragma once

#include <concepts>
#include <cstdint>
#include <type_traits>
#include <vector>

#include <fltr/attacks/no_attack.hpp>
#include <fltr/core/error.hpp>
#include <fltr/core/random.hpp>
#include <fltr/core/serial.hpp>
#include <fltr/data/client.hpp>
#include <fltr/data/query_pool.hpp>
#include <fltr/privatizers/no_privacy.hpp>

namespace fltr {

struct WarmStart {
  std::uint32_t rounds = 100;
  std::uint32_t interactions = 5;  ///< per round
  std::uint64_t seed = 1;
};

/// A start model, trained by the server on data that it has (see SharedData): one client with these queries, with the
/// ranker, click model (that of client 0), learner and aggregator of the federation, without privatizer and attack.
/// `federation.with_ranker(...)` takes the result. Its random numbers differ from those of every training with the same
/// seed. The result has no noise and reveals the queries and the clicks on them: the privacy loss of a later training
/// does not cover them.
///
/// For a ClusteredRanker, train the start model by a federation of the plain ranker, and make the ClusteredRanker of
/// the result.
template <class F>
[[nodiscard]] typename F::Policies::Ranker warm_start(F const& federation, QueryPool const& queries,
                                                      WarmStart options = {}) {
  using R = typename F::Policies::Ranker;
  require(queries.size() > 0, "warm_start", "at least one query", queries.size());
  require(options.rounds > 0, "warm_start", "rounds >= 1", options.rounds);
  require(options.interactions > 0, "warm_start", "interactions >= 1", options.interactions);
  std::uint64_t const seed = Streams{options.seed, 2}.of(Purpose::shared_data).bits64();
  auto training = federation.with_privatizer(NoPrivacy{})
                      .with_attack(NoAttack{})
                      .with_execution(Serial{})
                      .start(std::vector<Client>{{0, options.interactions, queries}}, {.seed = seed});
  training.run(options.rounds);
  // With Personal, the trained output layer is the client's.
  if constexpr (std::same_as<std::remove_cvref_t<decltype(training.ranker_of(0))>, R>)
    return training.ranker_of(0);
  else
    return training.ranker();
}

}  // namespace fltr
