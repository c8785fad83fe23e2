// build error: fltr: this gathering Aggregator
#include "parts.hpp"

struct WantsInts {
  void aggregate(std::span<fltr::ClientMessage<int> const>, auto&) const {}
};
auto federation = fltr::make_federation(fltr::LinearRanker(5), fltr::NoClicks{}, fltr::Pdgd{}, WantsInts{});
