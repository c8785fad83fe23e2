// build error: no member named .*clicks
#include "parts.hpp"

// A message holds what its client sends. The clicks that it was learned from are not part of it.
struct ReadsClicks {
  fltr::NoAttack::NoClients malicious;
  void poison(std::span<fltr::ClientMessage<fltr::LocalWeights>>,
              std::span<fltr::ClientMessage<fltr::LocalWeights> const> others, fltr::LinearRanker const&,
              fltr::AttackContext const&) const {
    static_cast<void>(others[0].message.clicks);
  }
};
