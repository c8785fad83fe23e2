#pragma once

#include <fltr/concepts/message.hpp>
#include <fltr/concepts/privatizer.hpp>

namespace fltr {

/// Messages leave as they are.
struct NoPrivacy {
  template <Message M>
  [[nodiscard]] M privatize(M message, PrivacyContext const&) const {
    return message;
  }
};
static_assert(Privatizer<NoPrivacy>);

}  // namespace fltr
