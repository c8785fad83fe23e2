// build error: fltr: the Attack has two overloads of 'poison'
#include "parts.hpp"

struct Either {
  struct {
    bool contains(fltr::ClientId) const { return true; }
  } malicious;
  using Messages = std::span<fltr::ClientMessage<fltr::LocalWeights>>;
  void poison(Messages, auto const&, fltr::AttackContext const&) const {}
  void poison(Messages, std::span<fltr::ClientMessage<fltr::LocalWeights> const>, auto const&,
              fltr::AttackContext const&) const {}
};
void run(fltr::Dataset const& data) {
  fltr::make_federation(fltr::LinearRanker(5), fltr::NoClicks{}, fltr::Pdgd{}, fltr::FedAvg{})
      .with_attack(Either{})
      .start(fltr::split_iid(data));
}
