// first error: fltr: the Ranker has no 'score'
#include "parts.hpp"

auto federation = fltr::make_federation(fltr::NoClicks{}, fltr::LinearRanker(5), fltr::Pdgd{}, fltr::FedAvg{});
