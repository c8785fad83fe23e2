// first error: fltr: the Privatizer has no 'privatize'
#include "parts.hpp"

auto federation =
    fltr::make_federation(fltr::LinearRanker(5), fltr::NoClicks{}, fltr::Pdgd{}, fltr::NoPrivacy{}, fltr::FedAvg{});
