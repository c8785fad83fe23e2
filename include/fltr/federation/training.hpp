#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include <fltr/concepts/ranker.hpp>
#include <fltr/federation/distinct_ids.hpp>
#include <fltr/federation/replay.hpp>
#include <fltr/federation/round.hpp>
#include <fltr/federation/rounds.hpp>
#include <fltr/federation/step.hpp>

namespace fltr {

/// A run of a federation: policies, population, and all state (global ranker, the server's and the clients' own, what
/// privacy was spent). A value: a copy is a fork that goes on by itself. It refers to nothing but the clients' Dataset.
template <class Policies, Population Clients>
class Training {
 public:
  using Ranker = typename Policies::Ranker;
  using Learner = typename Policies::Learner;
  using Message = typename Policies::Message;
  using ServerState = State<typename Policies::Aggregator>;
  using OneClientState = ClientState<Learner, typename Policies::Unlearner>;

  static_assert(
      requires(Learner const& learner, Ranker const& ranker, ClientOf<Clients> const& client,
               archetypes::Session<State<Learner>>& session) {
        { learner.learn(ranker, client, session) } -> std::same_as<Message>;
      },
      "fltr: this Learner cannot work with the clients of this Population (does it need a log, or a merge set?)");

  Training(Policies policies, Clients clients, RunOptions options)
      : policies_(std::move(policies)),
        clients_(std::move(clients)),
        options_(options),
        ranker_(initialized(policies_.ranker, options)),
        start_(ranker_) {
    require(clients_.size() > 0, "Training", "at least one client", clients_.size());
    require_distinct_ids(clients_);
    require(options_.minimum_reports > 0, "Training", "minimum_reports >= 1", options_.minimum_reports);
    require(options_.epsilon_budget >= 0.0, "Training", "an epsilon_budget >= 0", options_.epsilon_budget);
    if constexpr (OneClientState::any) states_.resize(clients_.size());
    if constexpr (accounted)
      for (std::size_t i = 0; i < clients_.size(); ++i)
        most_interactions_ = std::max<std::uint32_t>(most_interactions_, clients_[i].interactions);
  }

  /// Runs the next round.
  void advance() {
    std::uint32_t const number = number_ + 1;
    Roster const roster(clients_, number, Streams{options_.seed, number}.of(Purpose::participants));
    auto const everyone = [this](ClientId client) { return !forgotten(client); };
    auto const unchanged = [](auto const&...) {};
    RoundRules<decltype(everyone), decltype(unchanged)> const rules{everyone, unchanged, 0, true,
                                                                    options_.minimum_reports};
    Step step(policies_, clients_, states_, RoundInfo{options_.seed, number, participants(roster), false}, roster,
              rules);
    tally_ = step.run(ranker_, server_state_);
    personalize(step.messages());
    if constexpr (accounted) spent_ += next_loss(participants(roster));
    number_ = number;
  }

  /// The rounds from here on, as a lazy range: a round runs when it is looked at or stepped over, each once. Stopping
  /// early leaves the training at the last round run. The range refers to this training.
  [[nodiscard]] auto rounds() & { return Rounds<Training>(*this); }

  /// Whether the next round would overspend the privacy budget.
  [[nodiscard]] bool exhausted() const {
    if constexpr (accounted)
      return spent_.epsilon_accounted + next_loss(clients_.size()).epsilon_accounted > options_.epsilon_budget;
    else
      return false;
  }

  [[nodiscard]] std::uint32_t number() const noexcept { return number_; }
  [[nodiscard]] Ranker const& ranker() const& noexcept { return ranker_; }
  [[nodiscard]] Ranker ranker() && { return std::move(ranker_); }
  [[nodiscard]] Round<Ranker> round() const {
    return {number_, ranker_, tally_, accounted ? std::optional(spent_) : std::nullopt};
  }

  /// What client i ends up using: its merged model, its personal version of the global ranker, or the global ranker.
  [[nodiscard]] auto ranker_of(std::size_t i) const {
    require(i < clients_.size(), "Training::ranker_of", "a client of the population", i);
    if constexpr (NamesHook_personal<Learner>) {
      static_assert(
          requires { policies_.learner.personal(ranker_, states_[i].learner); },
          "fltr: the Learner's hook 'personal' must be callable as personal(Ranker const&, State const&) const");
      return policies_.learner.personal(ranker_, states_[i].learner);
    } else if constexpr (personalizes) {
      require(i < personal_.size(), "Training::ranker_of", "a round before asking for a client's own ranker", number_);
      return personal_[i];
    } else {
      return ranker_;
    }
  }

  /// Makes the federation forget these clients, for good: the unlearner replays rounds without them, what they kept is
  /// cleared, and they take part no more. Replayed rounds send messages and are paid for like others. Rankers that were
  /// merged for single clients hold what the forgotten ones sent, so there are none until the next round.
  void forget(std::vector<ClientId> const& gone) {
    static_assert(NamesHook_unlearn<typename Policies::Unlearner>,
                  "fltr: this federation cannot forget: its Unlearner has no 'unlearn' (see with_unlearner)");
    static_assert(
        requires(typename Policies::Unlearner const& unlearner, Replay<Training>& again) { unlearner.unlearn(again); },
        "fltr: the Unlearner's hook 'unlearn' must be callable as unlearn(Replay&) const");
    gone_.insert(gone_.end(), gone.begin(), gone.end());
    std::ranges::sort(gone_);
    gone_.erase(std::unique(gone_.begin(), gone_.end()), gone_.end());
    Replay<Training> replay(*this);
    policies_.unlearner.unlearn(replay);
    ranker_ = std::move(replay.ranker);
    server_state_ = std::move(replay.server_state);
    if constexpr (personalizes) personal_.clear();
    if constexpr (OneClientState::any)
      for (std::size_t i = 0; i < clients_.size(); ++i)
        if (forgotten(clients_[i].id)) states_[i] = {};
  }

  [[nodiscard]] Policies const& policies() const& noexcept { return policies_; }
  [[nodiscard]] Policies policies() && { return std::move(policies_); }
  [[nodiscard]] Clients const& clients() const& noexcept { return clients_; }
  [[nodiscard]] Clients clients() && { return std::move(clients_); }
  [[nodiscard]] std::vector<OneClientState> const& client_states() const& noexcept { return states_; }
  [[nodiscard]] std::vector<OneClientState> client_states() && { return std::move(states_); }

 private:
  friend class Replay<Training>;

  using A = typename Policies::Aggregator;
  static constexpr bool accounted = NamesHook_loss<typename Policies::Privatizer>;
  static constexpr bool personalizes = NamesHook_personalize<A>;

  [[nodiscard]] bool forgotten(ClientId client) const { return std::ranges::binary_search(gone_, client); }

  /// How many are asked: those on the roster who are not forgotten.
  [[nodiscard]] std::size_t participants(Roster const& roster) const {
    if (gone_.empty()) return roster.size();
    std::size_t count = 0;
    for (std::size_t block = 0; block < roster.blocks(); ++block)
      roster.for_each_in(block, [&](std::size_t position) { count += forgotten(clients_[position].id) ? 0U : 1U; });
    return count;
  }

  [[nodiscard]] static Ranker initialized(Ranker ranker, RunOptions const& options) {
    initialize(ranker, Streams{options.seed}.of(Purpose::start));
    return ranker;
  }

  [[nodiscard]] PrivacyLoss next_loss(std::size_t participants) const {
    std::size_t dimension = 0;
    if constexpr (ParametricRanker<Ranker>) dimension = shared_parameters(ranker_).size();
    return loss(policies_.privatizer, Release{participants, dimension, most_interactions_});
  }

  static auto personal_rankers() {
    if constexpr (personalizes) {
      static_assert(
          requires(A const& a, std::span<Sent<Message> const> all, ClientOf<Clients> const& client) {
            a.personalize(all, client);
          },
          "fltr: the Aggregator's hook 'personalize' must be callable as personalize(std::span<Sent<Message> const>, "
          "Client const&) const");
      using Personal = decltype(std::declval<A const&>().personalize(std::span<Sent<Message> const>{},
                                                                     std::declval<ClientOf<Clients> const&>()));
      return std::vector<Personal>{};
    } else {
      return NoState{};
    }
  }

  void personalize(std::span<Sent<Message> const> messages) {
    if constexpr (personalizes) {
      if (messages.empty()) return;
      personal_.resize(clients_.size());
      static_cast<void>(policies_.execution.reduce(clients_.size(), [&](std::size_t i) {
        personal_[i] = policies_.aggregator.personalize(messages, clients_[i]);
        return NoState{};
      }));
    }
  }

  Policies policies_;
  Clients clients_;
  RunOptions options_;
  Ranker ranker_;
  Ranker start_;
  ServerState server_state_{};
  std::vector<OneClientState> states_;
  std::vector<ClientId> gone_;  // sorted
  std::uint32_t number_ = 0;
  std::uint32_t most_interactions_ = 0;
  Tally tally_;
  PrivacyLoss spent_;
  decltype(personal_rankers()) personal_;
};

}  // namespace fltr
