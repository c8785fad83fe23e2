#pragma once

#include <span>

#include <fltr/attacks/detail/known_models.hpp>
#include <fltr/attacks/malicious_clients.hpp>
#include <fltr/concepts/attack.hpp>
#include <fltr/concepts/message.hpp>

namespace fltr {

/// Each attacker sends −z times its own honest model (Wang 2024, section 6.4: z = 2).
struct Inversion {
  MaliciousClients malicious{};
  float z = 2.0F;

  template <FlatMessage M, class R>
  void poison(std::span<ClientMessage<M>> mine, R const&, AttackContext const&) const {
    for (ClientMessage<M>& sent : mine)
      for (float& value : sent.message.values)
        value = detail::finite_float(-static_cast<double>(z) * static_cast<double>(value));
  }
};
static_assert(Attack<Inversion>);

}  // namespace fltr
