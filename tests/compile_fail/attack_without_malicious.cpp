// first error: fltr: the Attack has no 'malicious'
#include "parts.hpp"

struct Forgot {
  void poison(std::span<fltr::ClientMessage<fltr::LocalWeights>>, auto const&, fltr::AttackContext const&) const {}
};
auto federation =
    fltr::make_federation(fltr::LinearRanker(5), fltr::NoClicks{}, fltr::Pdgd{}, fltr::FedAvg{}).with_attack(Forgot{});
