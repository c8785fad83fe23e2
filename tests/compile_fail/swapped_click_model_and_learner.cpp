// first error: fltr: the ClickModel has no 'click'
#include "parts.hpp"

auto federation = fltr::make_federation(fltr::LinearRanker(5), fltr::Pdgd{}, fltr::NoClicks{}, fltr::FedAvg{});
