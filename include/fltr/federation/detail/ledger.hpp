#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include <fltr/accounting/privacy_account.hpp>
#include <fltr/accounting/privacy_sum.hpp>
#include <fltr/concepts/aggregator.hpp>
#include <fltr/concepts/attack.hpp>
#include <fltr/concepts/execution.hpp>
#include <fltr/concepts/message.hpp>
#include <fltr/concepts/population.hpp>
#include <fltr/concepts/privatizer.hpp>
#include <fltr/concepts/round_release.hpp>
#include <fltr/concepts/sealing.hpp>
#include <fltr/core/error.hpp>
#include <fltr/core/number_text.hpp>
#include <fltr/data/client.hpp>
#include <fltr/federation/detail/ask_sometimes.hpp>
#include <fltr/federation/detail/roster.hpp>
#include <fltr/federation/detail/server_sees.hpp>
#include <fltr/federation/round.hpp>
#include <fltr/federation/round_statistics.hpp>
#include <fltr/messages/local_weights.hpp>

namespace fltr::detail {

/// The number of clients that a round asks, and the interactions that it asks each client for (0: the client's own
/// number).
struct RoundRequest {
  std::size_t clients = 0;
  std::uint32_t interactions = 0;
};

/// The clients that a round asks, if `takes_part(position, id)`.
template <Population Clients, Execution E, class TakesPart>
[[nodiscard]] ChargedClients asked_clients(Roster const& roster, Clients const& clients, E const& execution,
                                           TakesPart const& takes_part) {
  ChargedClients out = ChargedClients::none();
  for (std::size_t block = 0; block < roster.blocks(); ++block)
    roster.for_each_in(block, [&](std::size_t position) {
      ask_sometimes(execution, position);
      if (takes_part(position, clients[position].id)) out.add(static_cast<std::uint32_t>(position));
    });
  if (out.all_of(clients.size())) out = {};
  return out;
}

/// The clients whose messages a round charges: those that were asked and answered in the phase of the message. A message
/// that was rejected or withdrawn, or whose round was discarded, is charged too.
template <class Input>
[[nodiscard]] ChargedClients charged_clients(Input const& input) {
  if (!composition::NamesHook_reports<typename Input::Clients> && input.info.participants == input.clients.size())
    return {};
  auto const answers = [&](std::size_t position, ClientId id) {
    return input.rules.takes_part(id) && input.answers(RoundPhase{input.info.number, Phase::message, 0}, position, id);
  };
  return asked_clients(input.roster, input.clients, input.policies.execution, answers);
}

/// The privacy prices of the rounds of a training. Before a round: the loss of the worst possible RoundRelease.
/// After it: the loss of the actual one. The sums over rounds are in a PrivacyAccount of the training's state.
///
/// It keeps the facts about the population and the options. Policies and the ranker are arguments, so that a Training
/// can be copied.
template <class Policies>
class Ledger {
  using R = typename Policies::Ranker;
  using A = typename Policies::Aggregator;
  using At = typename Policies::Attack;
  using Message = typename Policies::Message;

 public:
  /// Whether the privatizer states a loss. Without one, only `has_budget` may be called.
  static constexpr bool accounted = composition::NamesHook_loss<typename Policies::Privatizer>;
  using Account = PrivacyAccount;

  template <Population Clients>
  Ledger(Policies const& policies, Clients const& clients, RunOptions const& options)
      : budget_(options.epsilon_budget), minimum_reports_(options.minimum_reports), bounds_(valid(options.delta)) {
    if constexpr (accounted) {
      FeatureFacts features;
      for (std::size_t i = 0; i < clients.size(); ++i) {
        ask_sometimes(policies.execution, i);
        auto const& client = clients[i];
        std::uint32_t const asked = client.interactions;
        most_interactions_ = std::max(most_interactions_, asked);
        least_interactions_ = std::min(least_interactions_, asked);
        if constexpr (composition::NamesHook_poison<At>)
          attackers_ += policies.attack.malicious.contains(client.id) ? 1U : 0U;
        features.merge(FeatureFacts::of(client));
      }
      // A process may have the data of its own clients only.
      if constexpr (BlockKeepingExecution<typename Policies::Execution>)
        features =
            policies.execution.reduce(Roster::block_count(clients.size()), [&](std::size_t) { return features; });
      knows_scaling_ = features.known;
      disclosed_ = disclosed_by(clients);
      if (features.scaled_together) disclosed_ = joined(disclosed_, composition::scaled_by_others);
    }
  }

  /// Whether there is a budget that a round could exceed.
  [[nodiscard]] bool has_budget() const noexcept { return budget_ != std::numeric_limits<double>::infinity(); }

  /// The price of a round under the worst release that the rules allow. A round that asks no client costs nothing.
  [[nodiscard]] PrivacyLoss worst_loss(Policies const& policies, R const& ranker, RoundRequest request) const {
    if (request.clients == 0) return disclosed_.empty() ? PrivacyLoss{} : with_disclosure({}, disclosed_);
    return with_disclosure(loss(policies.privatizer, worst_release(policies, ranker, request)), disclosed_with(ranker));
  }

  /// The largest loss of a client after the round under the worst release that the rules allow.
  [[nodiscard]] PrivacyLoss worst_total(Policies const& policies, R const& ranker, RoundRequest request,
                                        ChargedClients const& asked, Account const& spent) const {
    return spent.largest_after(worst_loss(policies, ranker, request), payers(asked), bounds_);
  }

  /// Whether the round could exceed the budget, given what was spent before.
  [[nodiscard]] bool exceeds(Policies const& policies, R const& ranker, RoundRequest request,
                             ChargedClients const& asked, Account const& spent) const {
    if (!has_budget()) return false;
    constexpr double rounding = 1e-12;  // three rounds of .1 fit a budget of .3
    return worst_total(policies, ranker, request, asked, spent).epsilon_accounted > budget_ * (1.0 + rounding);
  }

  /// Throws std::runtime_error if the round could exceed the budget, given what was spent before.
  void require_budget(char const* where, std::uint32_t round, Policies const& policies, R const& ranker,
                      RoundRequest request, ChargedClients const& asked, Account const& spent) const {
    if (!exceeds(policies, ranker, request, asked, spent)) return;
    throw std::runtime_error(std::string(where) + ": required epsilon_budget >= " +
                             number_text(worst_total(policies, ranker, request, asked, spent).epsilon_accounted) +
                             " for round " + number_text(round) + ", got " + number_text(budget_));
  }

  /// Charges a round that is over to the clients that sent a message.
  void charge(Policies const& policies, R const& ranker, RoundRequest request, RoundStatistics const& statistics,
              ChargedClients const& charged, Account& spent) {
    if (statistics.reported + statistics.rejected + statistics.late == 0 &&
        !disclosed_.empty())  // who was asked is disclosed
      spent.charge(with_disclosure({}, disclosed_), {});
    if (statistics.reported + statistics.rejected + statistics.late == 0) return;
    RoundRelease const release = release_of(policies, ranker, request, statistics);
    std::string disclosed = disclosed_with(ranker);
    if (!last_ || last_->release != release || last_->disclosed != disclosed) {
      PrivacyLoss price = with_disclosure(loss(policies.privatizer, release), disclosed);
      PrivacySum sum = PrivacySum::of(price);
      last_ = Last{release, std::move(disclosed), std::move(price), std::move(sum)};
    }
    spent.charge(last_->price, last_->sum, payers(charged));
  }

  /// The largest loss of a client so far.
  [[nodiscard]] PrivacyLoss total(Account const& spent) const { return spent.largest(bounds_); }
  /// The loss of one client so far.
  [[nodiscard]] PrivacyLoss total_of(std::size_t position, Account const& spent) const {
    return spent.of_client(position, bounds_);
  }

 private:
  /// How the features of clients' queries were scaled.
  struct FeatureFacts {
    bool scaled_together = false;  ///< by documents of several clients
    bool known = true;             ///< of all clients

    template <class C>
    [[nodiscard]] static FeatureFacts of(C const& client) {
      auto const scaling = composition::feature_scaling(client);
      return {scaling.scaled_by == ScaledBy::documents, scaling.known};
    }
    void merge(FeatureFacts const& other) {
      scaled_together = scaled_together || other.scaled_together;
      known = known && other.known;
    }
    auto fields(auto&& visit) { return visit(scaled_together, known); }
  };

  /// The last price. Computing Rényi divergences takes longer than a small round.
  struct Last {
    RoundRelease release;
    std::string disclosed;
    PrivacyLoss price;
    PrivacySum sum;
  };

  [[nodiscard]] static double valid(double delta) {
    require(delta >= 0.0 && delta < 1.0, "Training", "a delta in [0, 1)", delta);
    return delta;
  }

  [[nodiscard]] static std::string joined(std::string const& a, std::string const& b) {
    return a.empty() || b.empty() ? a + b : a + "; " + b;
  }

  /// What the population, the clients' features and the message tell outside of its values.
  [[nodiscard]] std::string disclosed_with(R const& ranker) const {
    return joined(disclosed_, composition::disclosure<Message>(ranker));
  }

  /// What the population tells, it tells of all clients, also of those that sent nothing.
  [[nodiscard]] ChargedClients payers(ChargedClients const& charged) const {
    return disclosed_.empty() ? charged : ChargedClients{};
  }

  /// No privatizer protects what is disclosed outside of the values of a message.
  [[nodiscard]] PrivacyLoss with_disclosure(PrivacyLoss price, std::string const& disclosed) const {
    if (!knows_scaling_)
      price.assumption =
          joined(price.assumption, "assumes that clients' features do not depend on documents of other clients");
    if (!disclosed.empty()) price.unbound(disclosed);
    return price;
  }

  /// What a round that is over revealed. A discarded round reveals as much as if exactly `minimum_reports` messages had
  /// arrived. A round whose clients were asked to open the seal counts as opened, even if the answers were too few:
  /// answers that come too late, and those of clients that collude, can complete them. `ranker`: the broadcast ranker.
  [[nodiscard]] RoundRelease release_of(Policies const& policies, R const& ranker, RoundRequest request,
                                        RoundStatistics const& statistics) const {
    RoundRelease release = expected_release(policies, ranker, request);
    release.reported = statistics.reported;
    release.rejected = statistics.rejected;
    release.late = statistics.late;
    release.noiseless = statistics.noiseless;
    if (statistics.reported > 0) release.dimension = static_cast<std::size_t>(statistics.dimension);
    release.discarded = statistics.discarded && !statistics.unsealing;
    if (statistics.discarded)
      release.reported = std::max(release.reported, worst_release(policies, ranker, request).reported);
    if (statistics.reported > statistics.noiseless) {
      release.smallest_weight = statistics.smallest_weight;
      release.largest_weight = statistics.largest_weight;
    }
    return release;
  }

  /// The facts that are known before the round.
  [[nodiscard]] RoundRelease expected_release(Policies const& policies, R const& ranker, RoundRequest request) const {
    RoundRelease release;
    release.asked = request.clients;
    set_server_view(policies.aggregator, release);
    if (composition::OmniscientAttack<At, Message, R> && attackers_ > 0) release.view = ServerView::messages;
    release.dimension = composition::largest_dimension<Message>(ranker);
    release.interactions =
        request.interactions == 0 ? most_interactions_ : std::min(most_interactions_, request.interactions);
    release.fewest_interactions =
        request.interactions == 0 ? least_interactions_ : std::min(least_interactions_, request.interactions);
    return release;
  }

  /// The fewest reports that the rules allow, with all attackers among them.
  [[nodiscard]] RoundRelease worst_release(Policies const& policies, R const& ranker, RoundRequest request) const {
    RoundRelease release = expected_release(policies, ranker, request);
    release.reported =
        std::min<std::uint64_t>(request.clients, std::max(minimum_reports_, minimum_messages(policies.aggregator)));
    release.rejected = request.clients - release.reported;
    release.noiseless = std::min(attackers_, release.reported);
    set_worst_weights<Message>(release.fewest_interactions, release.interactions, release);
    return release;
  }

  double budget_;
  std::uint64_t minimum_reports_;
  BoundsAt bounds_;
  std::uint32_t most_interactions_ = 0;
  std::uint32_t least_interactions_ = std::numeric_limits<std::uint32_t>::max();
  std::uint64_t attackers_ = 0;
  std::string disclosed_;      // by the population and by features that were scaled together
  bool knows_scaling_ = true;  // of the features of all clients
  std::optional<Last> last_;
};

}  // namespace fltr::detail
