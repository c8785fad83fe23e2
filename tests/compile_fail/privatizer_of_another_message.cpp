// build error: fltr: this Privatizer cannot take this Learner's Message
#include "parts.hpp"

struct OnlyInts {
  int privatize(int value, fltr::PrivacyContext const&) const { return value; }
};
auto federation =
    fltr::make_federation(fltr::LinearRanker(5), fltr::NoClicks{}, fltr::Pdgd{}, fltr::FedAvg{}, OnlyInts{});
