#pragma once

#include <cstdint>
#include <span>
#include <utility>

#include <fltr/concepts/aggregator.hpp>
#include <fltr/concepts/attack.hpp>
#include <fltr/concepts/click_model.hpp>
#include <fltr/concepts/execution.hpp>
#include <fltr/concepts/privatizer.hpp>
#include <fltr/concepts/ranker.hpp>
#include <fltr/concepts/sealing.hpp>
#include <fltr/concepts/unlearner.hpp>
#include <fltr/core/fields.hpp>
#include <fltr/core/hooks.hpp>
#include <fltr/core/state.hpp>
#include <fltr/messages/client_message.hpp>

/// Compile-time checks of the required members of policies. Each failure is one sentence that names the role and the
/// member. A policy that fits costs one check of its concept.
namespace fltr::detail {

FLTR_HOOK(score);
FLTR_HOOK(click);
FLTR_HOOK(privatize);
FLTR_HOOK(aggregate);
FLTR_HOOK(malicious);
FLTR_HOOK(keeps);
FLTR_HOOK(reduce);

template <class R>
consteval bool require_ranker() {
  if constexpr (!Ranker<R>) {
    static_assert(
        NamesHook_score<R>,
        "fltr: the Ranker has no 'score' (required: void score(QueryView, std::span<float>) const; policies are "
        "in the order ranker, click model, learner, aggregator, privatizer)");
    static_assert(Ranker<R>,
                  "fltr: the Ranker must be copyable, and its 'score' callable as void score(QueryView, "
                  "std::span<float>) const");
  }
  return true;
}

template <class C>
consteval bool require_click_model() {
  if constexpr (!ClickModel<C>) {
    static_assert(NamesHook_click<C>,
                  "fltr: the ClickModel has no 'click' (required: void click(std::span<Grade const>, "
                  "std::span<std::uint8_t>, Stream&) const; policies are in the order ranker, click model, learner, "
                  "aggregator, privatizer)");
    static_assert(ClickModel<C>,
                  "fltr: the ClickModel's 'click' must be callable as void click(std::span<Grade const>, "
                  "std::span<std::uint8_t>, Stream&) const, or with DisplayedList const& first");
  }
  return true;
}

/// A `privatize` that can be called only if the policy is not const.
template <class P, class M>
concept PrivatizesIfMutable = requires(P& p, M message, PrivacyContext const& context) {
  p.privatize(std::move(message), context);
} && !requires(P const& p, M message, PrivacyContext const& context) { p.privatize(std::move(message), context); };

template <class P, class M>
consteval bool require_privatizer() {
  if constexpr (!Privatizer<P, M>) {
    static_assert(NamesHook_privatize<P>,
                  "fltr: the Privatizer has no 'privatize' (required: M privatize(M, PrivacyContext const&) const; "
                  "policies are in the order ranker, click model, learner, aggregator, privatizer)");
    static_assert(!PrivatizesIfMutable<P, M>,
                  "fltr: the Privatizer's 'privatize' must be const: a Privatizer keeps nothing between rounds");
    static_assert(
        Privatizer<P, M>,
        "fltr: this Privatizer cannot take this Learner's Message (required: M privatize(M, PrivacyContext const&) "
        "const)");
  }
  return true;
}

/// An `aggregate` that can be called only if the policy is not const.
template <class A, class Input, class R>
concept AggregatesIfMutable = requires(A& a, Input input, R& ranker, State<A>& state) {
  a.aggregate(std::move(input), ranker, state);
} || requires(A& a, Input input, R& ranker) { a.aggregate(std::move(input), ranker); };

/// The checks of `aggregate`, after the checks of the Sum. Input: the Sum, or the gathered messages.
template <class A, class Input, class R>
consteval bool require_aggregate() {
  static_assert(NamesHook_aggregate<A>,
                "fltr: the Aggregator has no 'aggregate' (policies are in the order ranker, click model, learner, "
                "aggregator, privatizer)");
  static_assert(composition::Aggregates<A, Input, R> || composition::IgnoresState<A, Input, R> ||
                    !AggregatesIfMutable<A, Input, R>,
                "fltr: the Aggregator's 'aggregate' must be const: what changes between rounds is in its State");
  return true;
}

template <class A, class M, class R>
consteval bool require_sum_aggregator() {
  using Sum = typename A::Sum;
  using Sent = Sealed<A, M>;
  static_assert(HasFields<Sum>,
                "fltr: the Aggregator's Sum has no 'fields' (required: auto fields(auto&& visit) { return "
                "visit(members...); }, with all members, where every member can be written)");
  static_assert(
      requires(Sum& sum, Sent const& message) { sum.add(message); },
      "fltr: the Aggregator's Sum has no 'add' for this Learner's Message (required: void add(Message const&))");
  static_assert(
      requires(Sum& sum, Sum part) { sum.merge(std::move(part)); },
      "fltr: the Aggregator's Sum has no 'merge' (required: void merge(Sum))");
  static_assert(
      requires(A const& a, R const& ranker) {
        { a.sum(ranker) } -> std::same_as<Sum>;
      }, "fltr: the Aggregator has no 'sum' for this Ranker (required: Sum sum(Ranker const&) const)");
  return require_aggregate<A, Sum, R>();
}

template <class A, class M, class R>
consteval bool require_aggregator() {
  using Messages = std::span<ClientMessage<M> const>;
  if constexpr (Streaming<A>) {
    if constexpr (!composition::SumAggregator<A, Sealed<A, M>, R>) {
      static_assert(require_sum_aggregator<A, M, R>());
      static_assert(
          !SumOf<typename A::Sum, Sealed<A, M>> || !composition::IgnoresState<A, typename A::Sum, R>,
          "fltr: the Aggregator names a State, so its 'aggregate' must take it: aggregate(Sum, Ranker&, State&) const");
      static_assert(composition::SumAggregator<A, Sealed<A, M>, R>,
                    "fltr: this streaming Aggregator (it names a Sum) does not take this Ranker (required: "
                    "aggregate(Sum, Ranker&[, State&]) const)");
    }
  } else if constexpr (!composition::GatherAggregator<A, M, R>) {
    static_assert(require_aggregate<A, Messages, R>());
    static_assert(
        !composition::IgnoresState<A, Messages, R>,
        "fltr: the Aggregator names a State, so its 'aggregate' must take it: aggregate(std::span<ClientMessage<M> "
        "const>, Ranker&, State&) const");
    static_assert(
        composition::GatherAggregator<A, M, R>,
        "fltr: this gathering Aggregator (it names no Sum) does not take this Learner's Message for this Ranker "
        "(required: aggregate(std::span<ClientMessage<M> const>, Ranker&[, State&]) const)");
  }
  return true;
}

template <class A>
consteval bool require_attack() {
  if constexpr (!Attack<A>) {
    static_assert(NamesHook_malicious<A>,
                  "fltr: the Attack has no 'malicious' (required: a member with bool contains(ClientId) const)");
    static_assert(Attack<A>, "fltr: the Attack's member 'malicious' must have bool contains(ClientId) const");
  }
  return true;
}

template <class U>
consteval bool require_unlearner() {
  if constexpr (!Unlearner<U>) {
    static_assert(NamesHook_keeps<U>,
                  "fltr: the Unlearner has no 'keeps' (required: bool keeps(std::uint32_t round) const)");
    static_assert(Unlearner<U>,
                  "fltr: the Unlearner's 'keeps' must be callable as bool keeps(std::uint32_t round) const");
  }
  return true;
}

template <class E>
consteval bool require_execution() {
  if constexpr (!Execution<E>) {
    static_assert(NamesHook_reduce<E>,
                  "fltr: the Execution has no 'reduce' (required: auto reduce(std::size_t blocks, leaf) const)");
    static_assert(Execution<E>,
                  "fltr: the Execution's 'reduce' must be callable as auto reduce(std::size_t blocks, leaf) const, and "
                  "return what the leaves return");
  }
  return true;
}

}  // namespace fltr::detail
