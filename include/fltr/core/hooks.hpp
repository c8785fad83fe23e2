#pragma once

#include <type_traits>

#include <fltr/core/compiler.hpp>

/// FLTR_HOOK(name), in namespace composition (or detail, if only one room uses it), defines the concept
/// `NamesHook_name<T>`: whether the class T has a member of that name, with any signature. The library looks for an
/// optional hook by name and then checks its signature, so that a hook with a wrong signature is an error at compile
/// time and is not ignored.
///
/// The check derives from T and from a class with a member of that name. If T has such a member too, the name is
/// ambiguous. No class derives from a final class, so policies must not be final.
#define FLTR_HOOK(name)                                                                                             \
  struct HookName_##name {                                                                                          \
    int name;                                                                                                       \
  };                                                                                                                \
  template <class T>                                                                                                \
  struct HookProbe_##name : T, HookName_##name {                                                                    \
    static_assert(!std::is_final_v<T>, "fltr: a policy must not be final (its optional hooks could not be found)"); \
  };                                                                                                                \
  template <class T>                                                                                                \
  concept NamesHook_##name = std::is_class_v<T> && !requires { &HookProbe_##name<T>::name; }
