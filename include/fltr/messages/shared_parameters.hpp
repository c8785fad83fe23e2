#pragma once

namespace fltr {

/// The part of a parametric ranker that travels: all of it, unless the ranker keeps a personal rest at the client.
template <class R>
[[nodiscard]] auto shared_parameters(R& ranker) {
  if constexpr (requires { ranker.shared(); })
    return ranker.shared();
  else
    return ranker.parameters();
}

}  // namespace fltr
