// first error: fltr: the Learner has no nested type Message
#include "parts.hpp"

auto federation = fltr::make_federation(fltr::LinearRanker(5), fltr::NoClicks{}, fltr::FedAvg{}, fltr::Pdgd{});
