#pragma once

#include <type_traits>

#include <fltr/concepts/aggregator.hpp>
#include <fltr/concepts/attack.hpp>
#include <fltr/concepts/click_model.hpp>
#include <fltr/concepts/execution.hpp>
#include <fltr/concepts/learner.hpp>
#include <fltr/concepts/message.hpp>
#include <fltr/concepts/population.hpp>
#include <fltr/concepts/privatizer.hpp>
#include <fltr/concepts/query_source.hpp>
#include <fltr/concepts/ranker.hpp>
#include <fltr/concepts/unlearner.hpp>
#include <fltr/core/hooks.hpp>
#include <fltr/messages/shared_parameters.hpp>

/// A compiler cannot list the members of a type. Therefore only these names are found: British spellings, missing
/// letters, singular for plural. A name costs 20 µs per federation (g++ 12).
///
/// FLTR_MISSPELT(role, hook, wrong): a policy of this role with a member `wrong` does not compile.
/// FLTR_MISTAKEN(role, hook, wrong): the same, but a policy that also has the hook may use the name for something else.
#define FLTR_MISSPELT(role, hook, wrong) FLTR_WRONG_NAME(role, hook, wrong, !NamesHook_##wrong<T>)
#define FLTR_MISTAKEN(role, hook, wrong) \
  FLTR_WRONG_NAME(role, hook, wrong, (!NamesHook_##wrong<T> || composition::NamesHook_##hook<T>))
/// FLTR_ALSO_MISTAKEN(role, hook, wrong, name): as FLTR_MISTAKEN, if another role has this wrong name, too.
#define FLTR_ALSO_MISTAKEN(role, hook, wrong, name) \
  FLTR_WRONG(role, hook, wrong, name, (!NamesHook_##wrong<T> || composition::NamesHook_##hook<T>))
#define FLTR_WRONG_NAME(role, hook, wrong, fits) \
  FLTR_HOOK(wrong);                              \
  FLTR_WRONG(role, hook, wrong, wrong, fits)
#define FLTR_WRONG(role, hook, wrong, name, fits)                                                                  \
  template <class T>                                                                                               \
  consteval bool spells_##name() {                                                                                 \
    static_assert(fits, "fltr: the " role "'s member '" #wrong "' has no effect: the hook is called '" #hook "'"); \
    return true;                                                                                                   \
  }

namespace fltr::detail {

FLTR_MISSPELT("Ranker", initialize, initialise)
FLTR_MISSPELT("Ranker", initialize, intialize)
FLTR_MISSPELT("Ranker", initialize, initalize)
FLTR_MISSPELT("Ranker", initialize, initialze)
FLTR_MISSPELT("Ranker", initialize, Initialize)
FLTR_MISTAKEN("Ranker", initialize, init)
FLTR_MISSPELT("Ranker", minimum_clients, minimum_client)
FLTR_MISTAKEN("Ranker", minimum_clients, min_clients)
FLTR_MISSPELT("Ranker", same_shape, same_shapes)
FLTR_MISTAKEN("Ranker", shared, share)
FLTR_MISTAKEN("Ranker", consistent, is_consistent)
template <class R>
consteval bool spells_ranker() {
  return spells_initialise<R>() && spells_intialize<R>() && spells_initalize<R>() && spells_initialze<R>() &&
         spells_minimum_client<R>() && spells_min_clients<R>() && spells_same_shapes<R>() && spells_Initialize<R>() &&
         spells_init<R>() && spells_share<R>() && spells_is_consistent<R>();
}

FLTR_MISTAKEN("ClickModel", of, for_client)
template <class C>
consteval bool spells_click_model() {
  return spells_for_client<C>();
}

FLTR_MISSPELT("Learner", shows_lists, show_lists)
FLTR_MISSPELT("Learner", shows_lists, shows_list)
FLTR_MISSPELT("Learner", personal, personel)
FLTR_MISTAKEN("Learner", personal, personalize)
FLTR_MISTAKEN("Learner", Workspace, workspace)
template <class L>
consteval bool spells_learner() {
  return spells_show_lists<L>() && spells_shows_list<L>() && spells_personel<L>() && spells_personalize<L>() &&
         spells_workspace<L>();
}

FLTR_MISSPELT("Message", complete, completes)
FLTR_MISSPELT("Message", weight, wieght)
FLTR_MISTAKEN("Message", dimension, dimensions)
FLTR_MISTAKEN("Message", discloses, disclose)
template <class M>
consteval bool spells_message() {
  return spells_completes<M>() && spells_wieght<M>() && spells_dimensions<M>() && spells_disclose<M>();
}

FLTR_MISSPELT("Privatizer", constrain, constrains)
FLTR_MISSPELT("Privatizer", constrain, contrain)
FLTR_MISTAKEN("Privatizer", constrain, constraint)
FLTR_MISSPELT("Privatizer", loss, los)
FLTR_MISTAKEN("Privatizer", loss, price)
FLTR_MISTAKEN("Privatizer", loss, losses)
FLTR_MISTAKEN("Privatizer", loss, privacy_loss)
template <class P>
consteval bool spells_privatizer() {
  return spells_constrains<P>() && spells_contrain<P>() && spells_losses<P>() && spells_privacy_loss<P>() &&
         spells_constraint<P>() && spells_los<P>() && spells_price<P>();
}

FLTR_MISSPELT("Aggregator", minimum_messages, minimum_message)
FLTR_MISSPELT("Aggregator", minimum_messages, minimum_mesages)
FLTR_MISSPELT("Aggregator", minimum_messages, mininum_messages)
FLTR_MISSPELT("Aggregator", minimum_messages, minimal_messages)
FLTR_MISTAKEN("Aggregator", minimum_messages, min_messages)
FLTR_MISTAKEN("Aggregator", minimum_messages, minimum_reports)
FLTR_MISSPELT("Aggregator", minimum_messages, minimum_messsages)
FLTR_MISSPELT("Aggregator", personalize, personalise)
FLTR_MISSPELT("Aggregator", personalize, personalizes)
FLTR_MISTAKEN("Sum", linear, is_linear)
template <class A>
consteval bool spells_sum() {
  if constexpr (Streaming<A>) return spells_is_linear<typename A::Sum>();
  return true;
}
template <class A>
consteval bool spells_aggregator() {
  return spells_minimum_message<A>() && spells_minimum_mesages<A>() && spells_mininum_messages<A>() &&
         spells_minimal_messages<A>() && spells_min_messages<A>() && spells_personalise<A>() &&
         spells_personalizes<A>() && spells_minimum_reports<A>() && spells_minimum_messsages<A>() && spells_sum<A>();
}

FLTR_MISSPELT("Attack", poison, poisons)
FLTR_MISSPELT("Attack", poison, posion)
template <class A>
consteval bool spells_attack() {
  return spells_poisons<A>() && spells_posion<A>();
}

FLTR_MISTAKEN("Unlearner", record, records)
FLTR_MISSPELT("Unlearner", record, recrod)
FLTR_MISSPELT("Unlearner", unlearn, unlearns)
FLTR_MISTAKEN("Unlearner", unlearn, forget)
template <class U>
consteval bool spells_unlearner() {
  return spells_records<U>() && spells_recrod<U>() && spells_unlearns<U>() && spells_forget<U>();
}

FLTR_MISSPELT("Execution", interruption_point, interrupt_point)
FLTR_MISSPELT("Execution", interruption_point, interuption_point)
FLTR_MISTAKEN("Execution", keeps_blocks, keep_blocks)
FLTR_MISTAKEN("Execution", shares_memory, share_memory)
template <class E>
consteval bool spells_execution() {
  return spells_interrupt_point<E>() && spells_interuption_point<E>() && spells_keep_blocks<E>() &&
         spells_share_memory<E>();
}

FLTR_MISTAKEN("Population", participants, participant)
FLTR_MISSPELT("Population", participants, particpants)
FLTR_MISSPELT("Population", participants, participents)
FLTR_MISTAKEN("Population", reports, report)
FLTR_MISTAKEN("Population", reports, responds)
FLTR_MISTAKEN("Population", reports, answers)
FLTR_MISSPELT("Population", participants, partcipants)
FLTR_ALSO_MISTAKEN("Population", discloses, disclose, population_disclose)
FLTR_MISTAKEN("QuerySource", scaled_by, scale_by)
template <class Client>
consteval bool spells_query_source() {
  if constexpr (HasQueries<Client>) return spells_scale_by<std::remove_cvref_t<decltype(Client::queries)>>();
  return true;
}
template <class P>
consteval bool spells_population() {
  return spells_participant<P>() && spells_particpants<P>() && spells_participents<P>() && spells_report<P>() &&
         spells_responds<P>() && spells_answers<P>() && spells_partcipants<P>() && spells_population_disclose<P>() &&
         spells_query_source<ClientOf<P>>();
}

}  // namespace fltr::detail
#undef FLTR_MISSPELT
#undef FLTR_MISTAKEN
#undef FLTR_ALSO_MISTAKEN
#undef FLTR_WRONG
#undef FLTR_WRONG_NAME
