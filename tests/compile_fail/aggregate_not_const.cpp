// first error: fltr: the Aggregator's 'aggregate' must be const
#include "parts.hpp"

struct Counts {
  int rounds = 0;
  void aggregate(std::span<fltr::ClientMessage<fltr::LocalWeights> const>, auto&) { ++rounds; }
};
auto federation = fltr::make_federation(fltr::LinearRanker(5), fltr::NoClicks{}, fltr::Pdgd{}, Counts{});
