// build error: fltr: the Attack's 'poison' cannot take this Learner's Message
#include "parts.hpp"

struct Poisons {
  fltr::NoAttack::NoClients malicious;
  void poison(std::span<fltr::ClientMessage<int>>, auto const&, fltr::AttackContext const&) const {}
};
auto federation =
    fltr::make_federation(fltr::LinearRanker(5), fltr::NoClicks{}, fltr::Pdgd{}, fltr::FedAvg{}).with_attack(Poisons{});
