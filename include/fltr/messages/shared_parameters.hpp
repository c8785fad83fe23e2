#pragma once

#include <concepts>
#include <span>
#include <type_traits>

#include <fltr/core/error.hpp>
#include <fltr/core/hooks.hpp>

namespace fltr {

namespace composition {
FLTR_HOOK(shared);
}  // namespace composition

/// The parameters of a ranker that travel between clients and server: `ranker.shared()`, or all `ranker.parameters()`
/// if the ranker has no such hook.
template <class R>
[[nodiscard]] auto shared_parameters(R& ranker) {
  using Plain = std::remove_const_t<R>;
  if constexpr (composition::NamesHook_shared<Plain>) {
    static_assert(
        requires(Plain& mutable_ranker, Plain const& const_ranker) {
          { mutable_ranker.shared() } -> std::same_as<std::span<float>>;
          { const_ranker.shared() } -> std::same_as<std::span<float const>>;
        },
        "fltr: the Ranker's hook 'shared' must be callable as std::span<float> shared() and as std::span<float const> "
        "shared() const");
    return ranker.shared();
  } else {
    return ranker.parameters();
  }
}

/// The parameters of a ranker that stay at the client. Requires that the shared parameters come first.
template <class R>
[[nodiscard]] auto personal_parameters(R& ranker) {
  auto const all = ranker.parameters();
  auto const travel = shared_parameters(ranker);
  require(travel.data() == all.data() && travel.size() <= all.size(), "personal_parameters",
          "shared parameters before the others", travel.size());
  return all.subspan(travel.size());
}

}  // namespace fltr
