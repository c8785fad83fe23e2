#pragma once

#include <concepts>
#include <type_traits>

#include <fltr/core/compiler.hpp>

namespace fltr {

/// The default observer: it does nothing, and training goes on.
struct NoObserver {
  void operator()(auto const&...) const noexcept {}
};

/// An **Observer** is a callable that a training calls after each step, for example to print a line or to stop early.
///
/// | required            | meaning                                                                                |
/// | ------------------- | -------------------------------------------------------------------------------------- |
/// | `observer(args...)` | returns void, or a bool: false ends the training after the present step                |
///
/// Not required: to be const, copyable or default-constructible.
///
/// A minimal model:
///
///     auto const at_most_ten_trees = [](TreeRound const& round) { return round.trees.size() < 10; };
///
/// Used by: LambdaMart::train, Training::run.
template <class O, class... Args>
concept Observer = requires(O& observer, Args const&... args) {
  observer(args...);
  requires std::is_void_v<decltype(observer(args...))> || std::same_as<decltype(observer(args...)), bool>;
};

static_assert(Observer<NoObserver, int>);

/// Calls the observer. Returns whether the training goes on: true for an observer that returns void, otherwise the bool
/// that it returned.
template <class O, class... Args>
requires Observer<O, Args...>
[[nodiscard]] bool observe(O& observer, Args const&... args) {
  if constexpr (std::is_void_v<decltype(observer(args...))>) {
    observer(args...);
    return true;
  } else {
    return observer(args...);
  }
}

}  // namespace fltr
