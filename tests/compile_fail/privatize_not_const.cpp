// first error: fltr: the Privatizer's 'privatize' must be const
#include "parts.hpp"

struct Counts {
  int messages = 0;
  fltr::LocalWeights privatize(fltr::LocalWeights message, fltr::PrivacyContext const&) {
    ++messages;
    return message;
  }
};
auto federation =
    fltr::make_federation(fltr::LinearRanker(5), fltr::NoClicks{}, fltr::Pdgd{}, fltr::FedAvg{}, Counts{});
