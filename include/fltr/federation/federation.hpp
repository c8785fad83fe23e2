#pragma once

#include <concepts>
#include <span>
#include <type_traits>
#include <utility>

#include <fltr/attacks/no_attack.hpp>
#include <fltr/concepts/aggregator.hpp>
#include <fltr/concepts/attack.hpp>
#include <fltr/concepts/click_model.hpp>
#include <fltr/concepts/execution.hpp>
#include <fltr/concepts/learner.hpp>
#include <fltr/concepts/privatizer.hpp>
#include <fltr/concepts/ranker.hpp>
#include <fltr/concepts/sealing.hpp>
#include <fltr/concepts/unlearner.hpp>
#include <fltr/core/serial.hpp>
#include <fltr/federation/detail/misspelt_hooks.hpp>
#include <fltr/federation/detail/policies.hpp>
#include <fltr/federation/detail/require_policies.hpp>
#include <fltr/federation/saved_training.hpp>
#include <fltr/federation/training.hpp>
#include <fltr/privatizers/no_privacy.hpp>
#include <fltr/unlearners/no_unlearning.hpp>

namespace fltr {

/// A federation: one policy per role, composed at compile time. It is a value without run state; `start` begins a
/// Training.
///
/// Policies are not constrained in the template head. The static_asserts below check them, and whether they fit
/// together, with one sentence per cause, in the order in which a message travels.
template <class R, class C, class L, class A, class P = NoPrivacy, class At = NoAttack, class U = NoUnlearning,
          class E = Serial>
class Federation {
  static_assert(detail::require_ranker<R>());
  static_assert(detail::require_click_model<C>());
  static_assert(
      requires { typename L::Message; },
      "fltr: the Learner has no nested type Message (the type of the messages to the server)");
  using M = typename L::Message;
  static_assert(composition::Trains<L, R>,
                "fltr: this Learner cannot train this Ranker (see its 'trains'; gradient learners need 'backward')");
  static_assert(
      Message<M>,
      "fltr: Learner::Message must be copyable and have 'auto fields(auto&& visit) { return visit(members...); "
      "}', where every member can be written (see Field in core/fields.hpp)");
  static_assert(MessageFor<M, R>,
                "fltr: Learner::Message must have bool fits(Ranker const&, std::uint32_t asked) const for this Ranker");
  static_assert(composition::NamesHook_learn<L> || composition::NamesHook_train<L>,
                "fltr: the Learner has neither 'train' nor 'learn' (see concepts/learner.hpp)");
  static_assert(composition::NamesHook_learn<L> || std::same_as<M, LocalWeights>,
                "fltr: a Learner with 'train' sends LocalWeights; one with another Message needs 'learn'");
  static_assert(
      !composition::NamesHook_personal<L> ||
          requires(L const& l, R const& ranker, State<L> const& state) { l.personal(ranker, state); },
      "fltr: the Learner's hook 'personal' must be callable as personal(Ranker const&, State const&) const (a wrapper "
      "with "
      "a State of its own must wrap the 'personal' of the inner learner)");
  static_assert(Field<State<L>>,
                "fltr: the Learner's State must have 'auto fields(auto&& visit) { return visit(members...); }', where "
                "every member can be written (see Field in core/fields.hpp)");
  static_assert(detail::require_privatizer<P, M>());
  static_assert(composition::shows_parameters<P>());
  static_assert(!composition::NamesHook_State<P>,
                "fltr: a Privatizer keeps nothing between rounds: remove its 'State', which would never be used");

  // ---- the Aggregator

  static_assert(
      Field<State<A>>,
      "fltr: the Aggregator's State must have 'auto fields(auto&& visit) { return visit(members...); }', where "
      "every member can be written (see Field in core/fields.hpp)");
  static_assert(!Sealing<A> || Streaming<A>,
                "fltr: only a streaming Aggregator can seal messages (it must name a Sum)");

  static_assert(detail::require_aggregator<A, M, R>());
  static consteval bool check_aggregator() {
    if constexpr (Streaming<A>) {
      static_cast<void>(composition::adds_linearly<A>());  // a use of the constant, so that no compiler warns about it
      if constexpr (Sealing<A>)
        static_assert(!SumOf<typename A::Sum, M>,
                      "fltr: the Sum of a sealing Aggregator must not be able to add a Message that is not sealed: "
                      "'seal' must return a type of its own");
    }
    return true;
  }
  static_assert(check_aggregator());

  // ---- the Attack

  static_assert(detail::require_attack<At>());
  using Behaviour = std::remove_cvref_t<decltype(clicks_of(std::declval<C const&>(), ClientId{}))>;
  static_assert(!composition::NamesHook_poison<At> || composition::ColludingAttack<At, M, R> ||
                    composition::OmniscientAttack<At, M, R>,
                "fltr: the Attack's 'poison' cannot take this Learner's Message (required: "
                "poison(std::span<ClientMessage<M>> mine, "
                "[std::span<ClientMessage<M> const> others,] Ranker const&, AttackContext const&) const)");
  static_assert(!(composition::ColludingAttack<At, M, R> && composition::OmniscientAttack<At, M, R>),
                "fltr: the Attack has two overloads of 'poison': define one, with or without 'others'");
  static_assert(
      !composition::NamesHook_clicks<At> || composition::ClickAttack<At, Behaviour>,
      "fltr: the Attack's 'clicks' cannot take this ClickModel (required: a ClickModel clicks(ClickModel const&) "
      "const)");
  static_assert(!composition::NamesHook_clicks<At> || composition::shows_lists<L>(),
                "fltr: the Attack's 'clicks' has no effect: this Learner never shows a list to a user");
  static_assert(std::same_as<At, NoAttack> || composition::NamesHook_poison<At> || composition::NamesHook_clicks<At>,
                "fltr: the Attack does nothing: it needs 'poison' or 'clicks'");
  static_assert(!composition::NamesHook_State<At>,
                "fltr: an Attack keeps nothing between rounds: remove its 'State', which would never be used");

  // ---- the Unlearner and the Execution

  static_assert(detail::require_unlearner<U>());
  static_assert(detail::require_execution<E>());
  static_assert(detail::spells_ranker<R>() && detail::spells_click_model<C>() && detail::spells_learner<L>() &&
                detail::spells_message<M>() && detail::spells_privatizer<P>() && detail::spells_aggregator<A>() &&
                detail::spells_attack<At>() && detail::spells_unlearner<U>() && detail::spells_execution<E>());
  static_assert(
      Field<State<U>>,
      "fltr: the Unlearner's State must have 'auto fields(auto&& visit) { return visit(members...); }', where "
      "every member can be written (see Field in core/fields.hpp)");
  static_assert(
      std::same_as<State<U>, NoState> || composition::NamesHook_record<U>,
      "fltr: the Unlearner names a State but has no 'record' to fill it (required: record(State&, std::uint32_t "
      "round, Ranker const& global, Message const&) const)");

 public:
  using Policies = detail::Policies<R, C, L, A, P, At, U, E>;
  using Message = M;

  explicit Federation(Policies policies) : policies_(std::move(policies)) {}

  /// Begins a run of this federation on these clients. The Training keeps a copy of the clients; their Dataset must
  /// outlive it.
  template <Population Clients>
  [[nodiscard]] Training<Policies, Clients> start(Clients clients, RunOptions options = {}) const {
    return {policies_, std::move(clients), options};
  }

  /// The rounds of a new run, as a lazy range that owns the Training.
  template <Population Clients>
  [[nodiscard]] auto rounds(Clients clients, RunOptions options = {}) const {
    return Rounds<Training<Policies, Clients>>(start(std::move(clients), options));
  }

  [[nodiscard]] Policies const& policies() const& noexcept { return policies_; }
  [[nodiscard]] Policies policies() && { return std::move(policies_); }

  /// The same federation with another policy in one role.
  template <class NewR>
  [[nodiscard]] auto with_ranker(NewR ranker) const {
    auto const& p = policies_;
    return make(std::move(ranker), p.click_model, p.learner, p.aggregator, p.privatizer, p.attack, p.unlearner,
                p.execution);
  }
  template <class NewC>
  [[nodiscard]] auto with_click_model(NewC click_model) const {
    auto const& p = policies_;
    return make(p.ranker, std::move(click_model), p.learner, p.aggregator, p.privatizer, p.attack, p.unlearner,
                p.execution);
  }
  template <class NewL>
  [[nodiscard]] auto with_learner(NewL learner) const {
    auto const& p = policies_;
    return make(p.ranker, p.click_model, std::move(learner), p.aggregator, p.privatizer, p.attack, p.unlearner,
                p.execution);
  }
  template <class NewP>
  [[nodiscard]] auto with_privatizer(NewP privatizer) const {
    auto const& p = policies_;
    return make(p.ranker, p.click_model, p.learner, p.aggregator, std::move(privatizer), p.attack, p.unlearner,
                p.execution);
  }
  template <class NewAt>
  [[nodiscard]] auto with_attack(NewAt attack) const {
    auto const& p = policies_;
    return make(p.ranker, p.click_model, p.learner, p.aggregator, p.privatizer, std::move(attack), p.unlearner,
                p.execution);
  }
  template <class NewU>
  [[nodiscard]] auto with_unlearner(NewU unlearner) const {
    auto const& p = policies_;
    return make(p.ranker, p.click_model, p.learner, p.aggregator, p.privatizer, p.attack, std::move(unlearner),
                p.execution);
  }
  template <class NewE>
  [[nodiscard]] auto with_execution(NewE execution) const {
    auto const& p = policies_;
    return make(p.ranker, p.click_model, p.learner, p.aggregator, p.privatizer, p.attack, p.unlearner,
                std::move(execution));
  }
  template <class NewA>
  [[nodiscard]] auto with_aggregator(NewA aggregator) const {
    auto const& p = policies_;
    return make(p.ranker, p.click_model, p.learner, std::move(aggregator), p.privatizer, p.attack, p.unlearner,
                p.execution);
  }

 private:
  template <class... Ps>
  static auto make(Ps... policies) {
    return Federation<Ps...>(detail::Policies<Ps...>{std::move(policies)...});
  }

  Policies policies_;
};

}  // namespace fltr
