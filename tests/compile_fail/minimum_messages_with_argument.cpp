// build error: fltr: the Aggregator's hook 'minimum_messages' must be callable
#include "parts.hpp"

struct Robust {
  std::size_t minimum_messages(std::size_t attackers) const { return 2 * attackers + 1; }
  void aggregate(std::span<fltr::ClientMessage<fltr::LocalWeights> const>, auto&) const {}
};
void run(fltr::Dataset const& data) {
  fltr::make_federation(fltr::LinearRanker(5), fltr::NoClicks{}, fltr::Pdgd{}, Robust{})
      .start(fltr::split_iid(data))
      .advance();
}
