#pragma once

#include <fltr/concepts/message.hpp>
#include <fltr/concepts/privatizer.hpp>

namespace fltr {

/// Messages are sent unchanged. There is no guarantee.
struct NoPrivacy {
  static constexpr bool draws_noise = false;

  template <Message M>
  [[nodiscard]] M privatize(M message, PrivacyContext const&) const {
    return message;
  }
};
static_assert(Privatizer<NoPrivacy>);

}  // namespace fltr
