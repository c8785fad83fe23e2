// build error: fltr: the Sum of a sealing Aggregator must not be able to add a Message that is not sealed
#include "parts.hpp"

// `seal` returns the type of the message, so that a sealed message could not be told from one that is not sealed.
struct Leaky : fltr::FedAvg {
  fltr::LocalWeights seal(fltr::LocalWeights message, fltr::SealContext const&) const { return message; }
};
void run(fltr::Dataset const& data) {
  fltr::make_federation(fltr::LinearRanker(5), fltr::NoClicks{}, fltr::Pdgd{}, Leaky{}).start(fltr::split_iid(data));
}
