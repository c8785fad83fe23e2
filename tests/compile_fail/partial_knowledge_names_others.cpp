// build error: no member named .*others
#include "parts.hpp"

// What an attack with partial knowledge receives has no way to the honest messages.
struct ReadsOthers {
  fltr::NoAttack::NoClients malicious;
  void poison(std::span<fltr::ClientMessage<fltr::LocalWeights>> mine, fltr::LinearRanker const&,
              fltr::AttackContext const& context) const {
    mine[0].message = context.others[0].message;
  }
};
