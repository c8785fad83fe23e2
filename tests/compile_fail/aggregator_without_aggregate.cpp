// first error: fltr: the Aggregator has no 'aggregate'
#include "parts.hpp"

auto federation = fltr::make_federation(fltr::LinearRanker(5), fltr::NoClicks{}, fltr::Pdgd{}, fltr::NoPrivacy{});
