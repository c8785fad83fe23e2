// build error: fltr: an Attack keeps nothing between rounds
#include "parts.hpp"

struct Learns {
  struct State {
    int rounds = 0;
    auto fields(auto&& visit) { return visit(rounds); }
  };
  struct {
    bool contains(fltr::ClientId) const { return true; }
  } malicious;
  void poison(std::span<fltr::ClientMessage<fltr::LocalWeights>>, auto const&, fltr::AttackContext const&) const {}
};
void run(fltr::Dataset const& data) {
  fltr::make_federation(fltr::LinearRanker(5), fltr::NoClicks{}, fltr::Pdgd{}, fltr::FedAvg{})
      .with_attack(Learns{})
      .start(fltr::split_iid(data));
}
