#pragma once

#include <fltr/core/hooks.hpp>

namespace fltr {

namespace composition {
FLTR_HOOK(Workspace);
}  // namespace composition

/// The workspace of a learner that needs no buffers.
///
/// You see this type in an error? The learner, or a wrapper that holds one, does not name the Workspace that `train`
/// uses. Add `using Workspace = typename L::Workspace;`, where L is the learner that is held.
struct NoWorkspace {};

namespace composition {

template <class Learner>
struct workspace_of {
  static_assert(!composition::NamesHook_Workspace<Learner>,
                "fltr: a Learner's 'Workspace' must be a public nested type");
  using type = NoWorkspace;
};
template <class Learner>
requires requires { typename Learner::Workspace; }
struct workspace_of<Learner> {
  using type = typename Learner::Workspace;
};

}  // namespace composition

/// The buffers of a learner: its nested type `Workspace`, or NoWorkspace. A federation makes one for each block of
/// clients, so that local work allocates nothing. No value in it may influence the work of the next client.
template <class Learner>
using WorkspaceOf = typename composition::workspace_of<Learner>::type;

}  // namespace fltr
