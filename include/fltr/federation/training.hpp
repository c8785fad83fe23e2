#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <sstream>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <fltr/concepts/archetypes.hpp>
#include <fltr/concepts/learner.hpp>
#include <fltr/concepts/metric.hpp>
#include <fltr/concepts/query_source.hpp>
#include <fltr/concepts/ranker.hpp>
#include <fltr/core/fields.hpp>
#include <fltr/execution/serial.hpp>
#include <fltr/federation/distinct_ids.hpp>
#include <fltr/federation/replay.hpp>
#include <fltr/federation/round.hpp>
#include <fltr/federation/rounds.hpp>
#include <fltr/federation/step.hpp>
#include <fltr/messages/collected.hpp>
#include <fltr/metrics/evaluate.hpp>

namespace fltr {

/// A run of a federation: policies, population, and all state (global ranker, the server's and the clients' own, what
/// privacy was spent). A value: a copy is a fork that goes on by itself. It refers to nothing but the clients' Dataset.
///
/// Its state has fields, so that it can be saved in the middle of a run and restored into a training of the same
/// federation, population and options (see `restore`). A round that throws changes nothing.
template <class Policies, Population Clients>
class Training {
 public:
  using Ranker = typename Policies::Ranker;
  using Learner = typename Policies::Learner;
  using Unlearner = typename Policies::Unlearner;
  using Message = typename Policies::Message;
  using ServerState = State<typename Policies::Aggregator>;
  using OneClientState = ClientState<Learner, Unlearner>;

  static_assert(!NamesHook_queries<ClientOf<Clients>> || HasQueries<ClientOf<Clients>>,
                "fltr: the clients' member 'queries' must be a QuerySource: size(), operator[](i) and draw(Stream&) or "
                "draw(DrawAt const&, Stream&), all const (see concepts/query_source.hpp)");
  static_assert(!TrainsWithoutWeight<Learner, Ranker, ClientOf<Clients>, archetypes::Session<State<Learner>>>,
                "fltr: the Learner's 'train' must return the weight of the message, a std::uint32_t");
  static_assert(!TrainsACopy<Learner, Ranker, ClientOf<Clients>, archetypes::Session<State<Learner>>>,
                "fltr: the Learner's 'train' must take the ranker by reference: it changes it in place");
  static_assert(!LearnsTwice<Learner, Ranker, ClientOf<Clients>, archetypes::Session<State<Learner>>>,
                "fltr: the Learner has both 'learn' and 'train', and 'train' would never be called: keep one");
  static_assert(LearnsMessage<Learner, Ranker, ClientOf<Clients>, archetypes::Session<State<Learner>>> ||
                    (!NamesHook_learn<Learner> &&
                     TrainsInPlace<Learner, Ranker, ClientOf<Clients>, archetypes::Session<State<Learner>>>),
                "fltr: this Learner cannot work with the clients of this Population (does it need queries, a log, or a "
                "merge set?)");

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
    if constexpr (accounted) survey_population();
  }

  /// Runs the next round. If it throws, the training is as before. Throws std::runtime_error if the round could
  /// overspend the privacy budget (see `exhausted`).
  void advance() {
    require(number_ < last_round, "Training::advance", "fewer than 2^32 - 1 rounds", number_);
    if (exhausted()) throw_overspent("Training::advance", number_ + 1, participants(roster_of(number_ + 1), gone_), 0);
    std::uint32_t const number = number_ + 1;
    Roster const roster = roster_of(number);
    auto const stays = [this](ClientId client) { return !forgotten(client); };
    auto const unchanged = [](auto const&...) { return true; };
    RoundRules<decltype(stays), decltype(unchanged)> const rules{stays, unchanged, 0, true, options_.minimum_reports};
    std::size_t const asked = participants(roster, gone_);
    Step step(policies_, clients_, states_, states_, RoundInfo{options_.seed, number, asked, false}, roster, rules);
    Ranker next = ranker_;
    ServerState next_server_state = server_state_;
    auto outcome = step.run(next, next_server_state);
    auto personal = personalized(outcome.messages);

    charge(outcome, asked, 0);  // after this, nothing throws
    ranker_ = std::move(next);
    server_state_ = std::move(next_server_state);
    apply(std::move(outcome.changes), states_);
    if (personal) personal_ = std::move(*personal);
    tally_ = outcome.tally;
    number_ = number;
  }

  /// The rounds from here on, as a lazy range: a round runs when it is looked at or stepped over, each once. Stopping
  /// early leaves the training at the last round run. The range refers to this training.
  [[nodiscard]] auto rounds() & { return Rounds<Training>(*this); }

  /// Whether the next round could overspend the privacy budget: with the fewest reports that the rules allow
  /// (`minimum_reports`), and with all attackers among them.
  [[nodiscard]] bool exhausted() const {
    if constexpr (accounted) {
      if (options_.epsilon_budget == std::numeric_limits<double>::infinity()) return false;
      return overspends(participants(roster_of(number_ + 1), gone_), 0);
    } else {
      return false;
    }
  }

  /// The price of the next round under the worst release that the rules allow; none without a guarantee.
  [[nodiscard]] std::optional<PrivacyLoss> worst_loss() const {
    if constexpr (accounted) {
      return worst_price(participants(roster_of(number_ + 1), gone_), 0);
    } else {
      return std::nullopt;
    }
  }

  [[nodiscard]] std::uint32_t number() const noexcept { return number_; }
  [[nodiscard]] Ranker const& ranker() const& noexcept { return ranker_; }
  [[nodiscard]] Ranker ranker() && { return std::move(ranker_); }
  [[nodiscard]] Round<Ranker> round() const {
    return {number_, ranker_, tally_, accounted ? std::optional(spent_) : std::nullopt};
  }

  /// What client i ends up using: its merged model, its personal version of the global ranker, or the global ranker.
  /// Where the states of clients are spread over processes, all processes must call it.
  [[nodiscard]] auto ranker_of(std::size_t i) const {
    require(i < clients_.size(), "Training::ranker_of", "a client of the population", i);
    if constexpr (NamesHook_personal<Learner>) {
      return at_owner(i, [&] { return local_ranker_of(i); });
    } else if constexpr (personalizes) {
      require(i < personal_.size(), "Training::ranker_of", "a round before asking for a client's own ranker", number_);
      return personal_[i];
    } else {
      return ranker_;
    }
  }

  /// The metric of the ranker that each client uses, on `queries_of(client)` (a Dataset or a QueryPool, by reference or
  /// by value): the mean over its queries, nothing where all of them are skipped. In the order of the population; runs
  /// on the federation's Execution.
  template <Metric M, class QueriesOf>
  [[nodiscard]] std::vector<std::optional<double>> evaluate_personal(M const& metric,
                                                                     QueriesOf const& queries_of) const {
    auto values = policies_.execution.reduce(Roster::block_count(clients_.size()), [&](std::size_t block) {
      Collected<std::optional<double>> out;
      std::size_t const end = std::min(clients_.size(), (block + 1) * Roster::block_size);
      for (std::size_t i = block * Roster::block_size; i < end; ++i) {
        ClientOf<Clients> const client = clients_[i];
        decltype(auto) queries = queries_of(client);
        auto const own = local_ranker_of(i);
        Evaluation const result = evaluate_on(Serial{}, own, queries, metric)[0];
        out.add(result.queries > 0 ? std::optional(result.mean()) : std::nullopt);
      }
      return out;
    });
    return std::move(values).take();
  }

  /// Makes the federation forget these clients, for good: the unlearner replays rounds without them, what they kept is
  /// cleared, and they take part no more. `round()` then has the statistics of the last replayed round. Replayed rounds
  /// send messages and are paid for like others, also if the replay throws; everything else then stays as it was.
  /// Merged rankers of single clients are deleted, because they contain messages of forgotten clients; the next round
  /// makes new ones.
  ///
  /// Throws std::invalid_argument for an empty list, a client that never took part or is forgotten already, and if no
  /// client would be left.
  void forget(std::vector<ClientId> gone) {
    static_assert(NamesHook_unlearn<Unlearner>,
                  "fltr: this federation cannot forget: its Unlearner has no 'unlearn' (see with_unlearner)");
    static_assert(
        requires(Unlearner const& unlearner, Replay<Training>& again) { unlearner.unlearn(again); },
        "fltr: the Unlearner's hook 'unlearn' must be callable as unlearn(Replay&) const");
    check_forgettable(gone);
    gone.insert(gone.end(), gone_.begin(), gone_.end());
    std::ranges::sort(gone);
    Replay<Training> replay(*this, std::move(gone));
    try {
      policies_.unlearner.unlearn(replay);
    } catch (...) {
      ++failed_replays_;  // the next attempt must not use the same noise again
      throw;
    }

    ranker_ = std::move(replay.ranker);
    server_state_ = std::move(replay.server_state);
    gone_ = std::move(replay.gone_);
    tally_ = replay.last_;
    if constexpr (personalizes) personal_.clear();
    if constexpr (OneClientState::any)
      for (std::size_t i = 0; i < clients_.size(); ++i) {
        states_[i].learner = std::move(replay.states_[i].learner);
        if (forgotten(clients_[i].id)) states_[i] = {};
      }
  }

  [[nodiscard]] Policies const& policies() const& noexcept { return policies_; }
  [[nodiscard]] Policies policies() && { return std::move(policies_); }
  [[nodiscard]] Clients const& clients() const& noexcept { return clients_; }
  [[nodiscard]] Clients clients() && { return std::move(clients_); }

  /// What the aggregator keeps.
  [[nodiscard]] ServerState const& server_state() const& noexcept { return server_state_; }
  [[nodiscard]] ServerState server_state() && { return std::move(server_state_); }
  /// What client i keeps: `learner`, and `kept` by the unlearner. Where the states of clients are spread over
  /// processes, all processes must call it.
  [[nodiscard]] OneClientState client_state(std::size_t i) const {
    require(i < states_.size(), "Training::client_state", "a client of a federation whose policies keep a state", i);
    return at_owner(i, [&] { return states_[i]; });
  }
  /// The same of all clients, of which a process has those of its own blocks; empty where no policy keeps a state at
  /// the clients.
  [[nodiscard]] std::vector<OneClientState> const& client_states() const& noexcept { return states_; }
  [[nodiscard]] std::vector<OneClientState> client_states() && { return std::move(states_); }
  /// The ids of the clients that were forgotten, rising.
  [[nodiscard]] std::vector<ClientId> const& forgotten_clients() const& noexcept { return gone_; }
  [[nodiscard]] std::vector<ClientId> forgotten_clients() && { return std::move(gone_); }

  /// All state of the run: what a checkpoint holds. Policies, clients and options are not part of it, but for the seed
  /// and the number of clients: a state belongs to one run.
  auto fields(auto&& visit) requires HasFields<Ranker> {
    return visit(saved_seed_, saved_clients_, ranker_, start_, server_state_, states_, personal_, gone_, number_,
                 failed_replays_, spent_, tally_);
  }
  /// What is wrong with a state that was read, in words; empty if it belongs to a training with these clients, this
  /// ranker and this seed.
  [[nodiscard]] std::string fault() const {
    auto const differ = [](std::string const& what, auto required, auto got) {
      return "required " + what + ' ' + std::to_string(required) + ", got " + std::to_string(got);
    };
    if (saved_seed_ != options_.seed) return differ("a training with seed", options_.seed, saved_seed_);
    if (saved_clients_ != clients_.size())
      return differ("a training with a number of clients of", clients_.size(), saved_clients_);
    std::size_t const states = OneClientState::any ? clients_.size() : 0;
    if (states_.size() != states) return differ("a number of client states of", states, states_.size());
    if constexpr (ParametricRanker<Ranker>) {
      std::size_t const parameters = policies_.ranker.parameters().size();
      for (Ranker const* ranker : {&ranker_, &start_})
        if (ranker->parameters().size() != parameters)
          return differ("a number of parameters of", parameters, ranker->parameters().size());
    }
    if (!sound(ranker_) || !sound(start_) || !sound(server_state_)) return "required a sound ranker and server state";
    for (OneClientState const& state : states_)
      if (!sound(state.learner) || !sound(state.kept)) return "required sound client states";
    if constexpr (personalizes) {
      if (!personal_.empty() && personal_.size() != clients_.size())
        return differ("a number of personal rankers of", clients_.size(), personal_.size());
      for (auto const& personal : personal_)
        if (!sound(personal)) return "required sound personal rankers";
    }
    if (std::ranges::adjacent_find(gone_, std::ranges::greater_equal{}) != gone_.end() ||
        gone_.size() >= clients_.size() || known(gone_).size() != gone_.size())
      return "required rising ids of forgotten clients of the population, and a client that stays";
    if (number_ >= last_round) return differ("a round below", last_round, number_);
    if (!(spent_.epsilon_nominal >= 0.0 && spent_.epsilon_accounted >= 0.0 && spent_.delta >= 0.0))
      return "required a privacy loss >= 0";
    return {};
  }

 private:
  friend class Replay<Training>;

  using A = typename Policies::Aggregator;
  using At = typename Policies::Attack;
  static constexpr bool accounted = NamesHook_loss<typename Policies::Privatizer>;
  static constexpr bool personalizes = NamesHook_personalize<A>;
  static constexpr bool omniscient = OmniscientAttack<At, Message, Ranker>;

  static constexpr std::uint32_t last_round = std::numeric_limits<std::uint32_t>::max();

  [[nodiscard]] bool forgotten(ClientId client) const { return std::ranges::binary_search(gone_, client); }

  /// The hook `consistent()` of a value that has one.
  template <class T>
  [[nodiscard]] static bool sound(T const& value) {
    if constexpr (requires {
                    { value.consistent() } -> std::same_as<bool>;
                  })
      return value.consistent();
    else
      return true;
  }

  /// Which of these ids, sorted, belong to clients of the population; sorted.
  [[nodiscard]] std::vector<ClientId> known(std::vector<ClientId> const& ids) const {
    std::vector<ClientId> found;
    if (ids.empty()) return found;
    for (std::size_t i = 0; i < clients_.size(); ++i)
      if (ClientId const id = clients_[i].id; std::ranges::binary_search(ids, id)) found.push_back(id);
    std::ranges::sort(found);
    return found;
  }

  [[nodiscard]] Roster roster_of(std::uint32_t round) const {
    return Roster(clients_, round, Streams{options_.seed, round}.of(Purpose::participants));
  }

  /// How many are asked: those on the roster who are not gone.
  [[nodiscard]] std::size_t participants(Roster const& roster, std::vector<ClientId> const& gone) const {
    if (gone.empty()) return roster.size();
    std::size_t count = 0;
    for (std::size_t block = 0; block < roster.blocks(); ++block)
      roster.for_each_in(block, [&](std::size_t position) {
        count += std::ranges::binary_search(gone, clients_[position].id) ? 0U : 1U;
      });
    return count;
  }

  [[nodiscard]] static Ranker initialized(Ranker ranker, RunOptions const& options) {
    initialize(ranker, Streams{options.seed}.of(Purpose::start));
    return ranker;
  }

  /// New states of clients, from a round.
  template <class Changes>
  static void apply(Changes&& changes, std::vector<OneClientState>& states) {
    if constexpr (OneClientState::any)
      for (auto& block : changes.blocks)
        for (auto& change : block) {
          auto& state = states[change.position];
          state.learner = std::move(change.learner);
          if (change.kept) state.kept = std::move(*change.kept);
        }
  }

  /// What read() returns in the process that keeps the state of client i.
  template <class Read>
  [[nodiscard]] auto at_owner(std::size_t i, Read const& read) const {
    if constexpr (BlockKeepingExecution<typename Policies::Execution>) {
      auto found = policies_.execution.reduce(Roster::block_count(clients_.size()), [&](std::size_t block) {
        Collected<decltype(read())> out;
        if (block == i / Roster::block_size) out.add(read());
        return out;
      });
      return std::move(std::move(found).take().front());
    } else {
      return read();
    }
  }

  /// The ranker of a client whose state is in this process.
  [[nodiscard]] auto local_ranker_of(std::size_t i) const {
    if constexpr (NamesHook_personal<Learner>) {
      static_assert(
          requires { policies_.learner.personal(ranker_, states_[i].learner); },
          "fltr: the Learner's hook 'personal' must be callable as personal(Ranker const&, State const&) const");
      return policies_.learner.personal(ranker_, states_[i].learner);
    } else {
      return ranker_of(i);
    }
  }

  // ---- the price of a round

  /// What the rules say about the population, for prices: read once.
  void survey_population() {
    for (std::size_t i = 0; i < clients_.size(); ++i) {
      auto const client = clients_[i];
      std::uint32_t const asked = client.interactions;
      most_interactions_ = std::max(most_interactions_, asked);
      least_interactions_ = std::min(least_interactions_, asked);
      if constexpr (NamesHook_poison<At>) attackers_ += policies_.attack.malicious.contains(client.id) ? 1U : 0U;
    }
  }

  /// What is known of a release before the round; `interactions`: see RoundRules.
  [[nodiscard]] RoundRelease release_of(std::size_t asked, std::uint32_t interactions) const {
    RoundRelease release;
    release.asked = asked;
    release.view = omniscient && attackers_ > 0 ? ServerView::messages : server_view<A>;
    release.dimension = largest_dimension<Message>(ranker_);
    if constexpr (Streaming<A>) release.altered = !adds_linearly<A>();
    release.interactions = interactions == 0 ? most_interactions_ : std::min(most_interactions_, interactions);
    return release;
  }

  [[nodiscard]] RoundRelease worst_release(std::size_t asked, std::uint32_t interactions) const {
    auto release = release_of(asked, interactions);
    release.reported =
        std::min<std::uint64_t>(asked, std::max(options_.minimum_reports, minimum_messages(policies_.aggregator)));
    release.rejected = asked - release.reported;
    release.noiseless = std::min(attackers_, release.reported);
    auto const least = interactions == 0 ? least_interactions_ : std::min(least_interactions_, interactions);
    if constexpr (std::same_as<Message, LocalWeights>) {
      release.smallest_weight = static_cast<double>(least);
      release.largest_weight = static_cast<double>(release.interactions);
    } else if constexpr (NamesHook_weight<Message>) {
      release.smallest_weight = 0.0;  // nothing is known of other weights
      release.largest_weight = std::numeric_limits<double>::infinity();
    }
    return release;
  }

  /// A round in which nobody is asked costs nothing.
  [[nodiscard]] PrivacyLoss worst_price(std::size_t asked, std::uint32_t interactions) const {
    if (asked == 0) return {};
    return loss(policies_.privatizer, worst_release(asked, interactions));
  }

  [[nodiscard]] bool overspends(std::size_t asked, std::uint32_t interactions) const {
    if constexpr (accounted) {
      constexpr double rounding = 1e-12;  // three rounds of .1 are a budget of .3
      return spent_.epsilon_accounted + worst_price(asked, interactions).epsilon_accounted >
             options_.epsilon_budget * (1.0 + rounding);
    } else {
      return false;
    }
  }

  [[noreturn]] void throw_overspent(std::string const& where, std::uint32_t round, std::size_t asked,
                                    std::uint32_t interactions) const {
    std::ostringstream text;
    text << where << ": required epsilon_budget >= ";
    if constexpr (accounted) text << spent_.epsilon_accounted + worst_price(asked, interactions).epsilon_accounted;
    text << " for round " << round << ", got " << options_.epsilon_budget;
    throw std::runtime_error(text.str());
  }

  /// Adds the price of a round that is over, by what happened. A round without messages costs nothing. A discarded
  /// round is charged as if exactly `minimum_reports` messages had arrived.
  template <class Outcome>
  void charge(Outcome const& outcome, std::size_t asked, std::uint32_t interactions) {
    if constexpr (accounted) {
      Tally const& tally = outcome.tally;
      if (tally.reported + tally.rejected == 0) return;
      auto release = release_of(asked, interactions);
      release.reported = tally.reported;
      release.rejected = tally.rejected;
      release.noiseless = tally.noiseless;
      release.dimension = static_cast<std::size_t>(tally.dimension);
      if (tally.reported == 0) release.dimension = largest_dimension<Message>(ranker_);
      release.discarded = tally.discarded;
      if (tally.discarded) release.reported = std::max(release.reported, worst_release(asked, interactions).reported);
      if (tally.reported > tally.noiseless) {
        release.smallest_weight = tally.smallest_weight;
        release.largest_weight = tally.largest_weight;
      }
      spent_ += loss(policies_.privatizer, release);
    }
  }

  // ---- rankers of single clients

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
  using PersonalRankers = decltype(personal_rankers());

  /// The ranker of every client, in the order of the population; nothing if no message was aggregated.
  [[nodiscard]] std::optional<PersonalRankers> personalized(std::span<Sent<Message> const> messages) const {
    if constexpr (personalizes) {
      if (messages.empty()) return std::nullopt;
      auto all = policies_.execution.reduce(clients_.size(), [&](std::size_t i) {
        Collected<typename PersonalRankers::value_type> one;
        one.add(policies_.aggregator.personalize(messages, clients_[i]));
        return one;
      });
      return std::move(all).take();
    } else {
      return std::nullopt;
    }
  }

  // ---- forgetting

  void check_forgettable(std::vector<ClientId> gone) const {
    require(!gone.empty(), "Training::forget", "at least one client", gone.size());
    std::ranges::sort(gone);
    auto const twice = std::ranges::adjacent_find(gone);
    if (twice != gone.end())
      throw_requirement("Training::forget", "each client once", "client " + std::to_string(*twice) + " twice");
    auto const found = known(gone);
    for (ClientId id : gone) {
      require(std::ranges::binary_search(found, id), "Training::forget", "a client of the population", id);
      require(!forgotten(id), "Training::forget", "a client that is not yet forgotten", id);
    }
    std::vector<ClientId> never = gone;
    for (std::uint32_t round = 1; round <= number_ && !never.empty(); ++round) {
      Roster const roster = roster_of(round);
      for (std::size_t block = 0; block < roster.blocks(); ++block)
        roster.for_each_in(block, [&](std::size_t position) { std::erase(never, clients_[position].id); });
    }
    require(never.empty(), "Training::forget", "a client that took part in a round", never.empty() ? 0 : never.front());
    require(gone.size() + gone_.size() < clients_.size(), "Training::forget", "a client that stays",
            "all clients of the population");
  }

  Policies policies_;
  Clients clients_;
  RunOptions options_;
  Ranker ranker_;
  Ranker start_;
  ServerState server_state_{};
  std::vector<OneClientState> states_;
  PersonalRankers personal_{};
  std::vector<ClientId> gone_;  // sorted
  std::uint32_t number_ = 0;
  std::uint32_t failed_replays_ = 0;
  std::uint64_t saved_seed_ = options_.seed;
  std::uint64_t saved_clients_ = clients_.size();
  std::uint32_t most_interactions_ = 0;
  std::uint32_t least_interactions_ = std::numeric_limits<std::uint32_t>::max();
  std::uint64_t attackers_ = 0;
  Tally tally_;
  PrivacyLoss spent_;
};

/// Takes the state of a run over from bytes that `field_bytes(training)` made of a training of the same federation,
/// clients and options. Throws FormatError, and changes nothing, if they do not fit. Ranges of rounds of this training
/// that are in use are no longer valid.
template <class Policies, Population Clients>
void restore(Training<Policies, Clients>& training, std::span<std::byte const> bytes) {
  auto copy = training;
  FieldReader reader(bytes);
  reader.read(copy);
  reader.expect_end();
  if (auto const fault = copy.fault(); !fault.empty()) throw FormatError("Training: " + fault);
  training = std::move(copy);
}

}  // namespace fltr
