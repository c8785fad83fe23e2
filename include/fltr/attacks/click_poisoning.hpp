#pragma once

#include <fltr/attacks/malicious_clients.hpp>
#include <fltr/concepts/attack.hpp>
#include <fltr/concepts/click_model.hpp>

namespace fltr {

/// Data poisoning: the users of malicious clients click by `users`, whatever the click model of their client is. Their
/// clients learn from these clicks and send their messages like honest clients. The thesis (Wang 2024, section 5.2.2)
/// uses `CascadeModel::poison(grades)`, which clicks the documents that are not relevant:
///
///     auto const attack = fltr::ClickPoisoning<fltr::CascadeModel>{fltr::MaliciousClients::first(2),
///                                                                  fltr::CascadeModel::poison(5)};
template <ClickModel C>
struct ClickPoisoning {
  MaliciousClients malicious{};
  C users;

  template <ClickModel Honest>
  [[nodiscard]] C const& clicks(Honest const&) const {
    return users;
  }
};

}  // namespace fltr
