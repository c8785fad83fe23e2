#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include <fltr/accounting/privacy_account.hpp>
#include <fltr/concepts/population.hpp>
#include <fltr/concepts/privatizer.hpp>
#include <fltr/concepts/ranker.hpp>
#include <fltr/core/state.hpp>
#include <fltr/data/client.hpp>
#include <fltr/federation/detail/ask_sometimes.hpp>
#include <fltr/federation/detail/personal_rankers.hpp>
#include <fltr/federation/detail/policies.hpp>
#include <fltr/federation/detail/releases.hpp>
#include <fltr/federation/round.hpp>
#include <fltr/federation/round_statistics.hpp>

namespace fltr::detail {

/// All values that change during a training: the content of a checkpoint. The seed and the number of clients are part
/// of it, because a saved state belongs to one run.
template <class Policies, Population Clients>
struct TrainingState {
  using Ranker = typename Policies::Ranker;
  using OneClient = ClientState<typename Policies::Learner, typename Policies::Unlearner>;

  std::uint64_t seed;
  std::uint64_t client_count;
  Ranker ranker;
  Ranker start;
  State<typename Policies::Aggregator> server{};
  std::vector<OneClient> clients{};  ///< one per client, or none if no policy keeps a state at the clients
  typename PersonalRankers<Policies, Clients>::Rankers personal{};
  std::vector<ClientId> forgotten{};  ///< rising
  std::uint32_t round = 0;            ///< the number of the last round
  std::uint32_t failed_replays = 0;
  std::uint32_t discarded_rounds = 0;  ///< of the rounds so far
  std::conditional_t<composition::NamesHook_loss<typename Policies::Privatizer>, PrivacyAccount, NoState> spent{};
  Releases releases{};
  RoundStatistics statistics{};

  auto fields(auto&& visit) {
    return visit(seed, client_count, ranker, start, server, clients, personal, forgotten, round, failed_replays,
                 discarded_rounds, spent, releases, statistics);
  }
};

/// The last round number is never reached, so that the number after it can be written.
inline constexpr std::uint32_t round_limit = std::numeric_limits<std::uint32_t>::max();

/// Returns the ids that are in the population, in increasing order. `ids` must be in increasing order.
template <Population Clients, Execution E = Serial>
[[nodiscard]] std::vector<ClientId> known_ids(Clients const& clients, std::vector<ClientId> const& ids,
                                              E const& execution = {}) {
  std::vector<ClientId> found;
  if (ids.empty()) return found;
  for (std::size_t i = 0; i < clients.size(); ++i) {
    ask_sometimes(execution, i);
    if (ClientId const id = clients[i].id; std::ranges::binary_search(ids, id)) found.push_back(id);
  }
  std::ranges::sort(found);
  return found;
}

/// The hook `consistent()` of a value that has one; otherwise true.
template <class T>
[[nodiscard]] bool is_consistent(T const& value) {
  if constexpr (requires {
                  { value.consistent() } -> std::same_as<bool>;
                })
    return value.consistent();
  else
    return true;
}

/// What is wrong with a state that was read from bytes: a sentence, or an empty string if the state belongs to a
/// training with this ranker, these clients and this seed.
template <class Policies, Population Clients>
[[nodiscard]] std::string fault_of(TrainingState<Policies, Clients> const& state, Policies const& policies,
                                   Clients const& clients, std::uint64_t seed) {
  using Saved = TrainingState<Policies, Clients>;
  auto const differ = [](std::string const& what, auto required, auto got) {
    return "required " + what + ' ' + std::to_string(required) + ", got " + std::to_string(got);
  };
  if (state.seed != seed) return differ("a training with seed", seed, state.seed);
  if (state.client_count != clients.size())
    return differ("a training with a number of clients of", clients.size(), state.client_count);
  std::size_t const states = Saved::OneClient::any ? clients.size() : 0;
  if (state.clients.size() != states) return differ("a number of client states of", states, state.clients.size());
  if constexpr (ParametricRanker<typename Saved::Ranker>) {
    std::size_t const parameters = policies.ranker.parameters().size();
    for (auto const* ranker : {&state.ranker, &state.start})
      if (ranker->parameters().size() != parameters)
        return differ("a number of parameters of", parameters, ranker->parameters().size());
  }
  if constexpr (requires(typename Saved::Ranker const& r) { r.feature_count() == r.feature_count(); }) {
    for (auto const* ranker : {&state.ranker, &state.start})
      if (ranker->feature_count() != policies.ranker.feature_count())
        return differ("a number of features of", policies.ranker.feature_count(), ranker->feature_count());
  }
  if constexpr (composition::NamesHook_same_shape<typename Saved::Ranker>) {
    static_assert(
        requires(typename Saved::Ranker const& r) {
          { r.same_shape(r) } -> std::same_as<bool>;
        }, "fltr: the Ranker's hook 'same_shape' must be callable as bool same_shape(Ranker const&) const");
    if (!policies.ranker.same_shape(state.ranker) || !policies.ranker.same_shape(state.start))
      return "required a ranker of the same shape, got another number of models or parameters";
  }
  if (!is_consistent(state.ranker) || !is_consistent(state.start) || !is_consistent(state.server))
    return "required a consistent ranker and server state, got sizes that contradict each other";
  for (auto const& client : state.clients)
    if (!is_consistent(client.learner) || !is_consistent(client.kept))
      return "required consistent client states, got sizes that contradict each other";
  if constexpr (composition::NamesHook_personalize<typename Policies::Aggregator>) {
    if (!state.personal.empty() && state.personal.size() != clients.size())
      return differ("a number of personal rankers of", clients.size(), state.personal.size());
    for (auto const& personal : state.personal)
      if (!is_consistent(personal)) return "required consistent personal rankers, got sizes that contradict each other";
  }
  if (std::ranges::adjacent_find(state.forgotten, std::ranges::greater_equal{}) != state.forgotten.end() ||
      state.forgotten.size() >= clients.size() || known_ids(clients, state.forgotten).size() != state.forgotten.size())
    return "required rising ids of forgotten clients of the population, and at least one client that is not forgotten";
  if (state.round >= round_limit) return differ("a round below", round_limit, state.round);
  if (state.discarded_rounds > state.round)
    return differ("a number of discarded rounds of at most", state.round, state.discarded_rounds);
  if constexpr (composition::NamesHook_loss<typename Policies::Privatizer>) {
    if (!state.spent.consistent(clients.size()))
      return "required a privacy account of these clients with losses >= 0, got other clients, a negative loss or NaN";
    if (!state.releases.consistent(state.round, round_limit))
      return "required charged rounds that lead to this round, got numbers or traces that contradict each other";
  }
  return {};
}

}  // namespace fltr::detail
