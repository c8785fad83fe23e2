#pragma once

#include <fltr/concepts/archetypes.hpp>
#include <fltr/concepts/learner.hpp>
#include <fltr/concepts/population.hpp>
#include <fltr/concepts/query_source.hpp>
#include <fltr/core/state.hpp>
#include <fltr/core/workspace.hpp>

namespace fltr::detail {

/// `train` and `learn` that can be called only if the policy is not const.
template <class L, class R, class C, class S>
concept TrainsIfMutable = !requires(L const& l, R& local, C const& client, S& session) {
  l.train(local, client, session);
} && requires(L& l, R& local, C const& client, S& session) { l.train(local, client, session); };
template <class L, class R, class C, class S>
concept LearnsIfMutable = !requires(L const& l, R const& ranker, C const& client, S& session) {
  l.learn(ranker, client, session);
} && requires(L& l, R const& ranker, C const& client, S& session) { l.learn(ranker, client, session); };

/// Compile-time checks of a learner with the clients of a population: one sentence for each cause.
template <class Learner, class Ranker, class Client>
consteval bool require_trainable() {
  using Session = archetypes::Session<State<Learner>, WorkspaceOf<Learner>>;
  static_assert(!composition::NamesHook_queries<Client> || HasQueries<Client>,
                "fltr: the clients' member 'queries' must be a QuerySource: size(), operator[](i) and draw(Stream&) or "
                "draw(DrawAt const&, Stream&), all const (see concepts/query_source.hpp)");
  static_assert(!TrainsIfMutable<Learner, Ranker, Client, Session>,
                "fltr: the Learner's 'train' must be const: what a client keeps between rounds is in its State");
  static_assert(!LearnsIfMutable<Learner, Ranker, Client, Session>,
                "fltr: the Learner's 'learn' must be const: what a client keeps between rounds is in its State");
  static_assert(!composition::TrainsWithoutWeight<Learner, Ranker, Client, Session>,
                "fltr: the Learner's 'train' must return the weight of the message, a std::uint32_t");
  static_assert(
      !composition::TrainsACopy<Learner, Ranker, Client, Session>,
      "fltr: the Learner's 'train' must take the ranker by reference, because it changes the ranker in place");
  static_assert(!composition::LearnsTwice<Learner, Ranker, Client, Session>,
                "fltr: the Learner has both 'learn' and 'train'; 'train' would never be called: remove one of them");
  static_assert(
      composition::TrainsWithoutWeight<Learner, Ranker, Client, Session> ||  // has its own error above
          composition::LearnsMessage<Learner, Ranker, Client, Session> ||
          (!composition::NamesHook_learn<Learner> && composition::TrainsInPlace<Learner, Ranker, Client, Session>),
      "fltr: this Learner cannot work with the clients of this Population (it may need a member 'queries', "
      "'log' or 'merge' that these clients do not have)");
  return true;
}

}  // namespace fltr::detail
