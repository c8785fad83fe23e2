// build error: fltr: the Aggregator's State must have 'auto fields
#include "parts.hpp"

// A training whose State has no fields could not be saved.
struct Counts {
  struct State {
    int rounds = 0;
  };
  void aggregate(std::span<fltr::ClientMessage<fltr::LocalWeights> const>, auto&, State& state) const {
    ++state.rounds;
  }
};
void run(fltr::Dataset const& data) {
  fltr::make_federation(fltr::LinearRanker(5), fltr::NoClicks{}, fltr::Pdgd{}, Counts{}).start(fltr::split_iid(data));
}
