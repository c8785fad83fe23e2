#pragma once

#include <type_traits>

/// FLTR_HOOK(name) defines `NamesHook_name<T>`: whether the class T has any member of that name, whatever its
/// signature. An optional hook is looked for by name and then checked by signature, so that a slightly wrong one is an
/// error at compile time and never silently left out.
///
/// It works because a class that inherits the name twice cannot say which one it means. A final class cannot be
/// inherited from: policies must not be final.
#define FLTR_HOOK(name)                                                                                             \
  struct HookName_##name {                                                                                          \
    int name;                                                                                                       \
  };                                                                                                                \
  template <class T>                                                                                                \
  struct HookProbe_##name : T, HookName_##name {                                                                    \
    static_assert(!std::is_final_v<T>, "fltr: a policy must not be final (its optional hooks could not be found)"); \
  };                                                                                                                \
  template <class T>                                                                                                \
  concept NamesHook_##name = std::is_class_v<T> && !requires {                                                      \
    &HookProbe_##name<T>::name;                                                                                     \
  }
