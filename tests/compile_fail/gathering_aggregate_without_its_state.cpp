// build error: fltr: the Aggregator names a State, so its 'aggregate' must take it
#include "parts.hpp"

struct Detector {
  struct State {
    std::vector<fltr::ClientId> flagged;
    auto fields(auto&& visit) { return visit(flagged); }
  };
  void aggregate(std::span<fltr::ClientMessage<fltr::LocalWeights> const>, fltr::ParametricRanker auto&) const {}
};
void run(fltr::Dataset const& data) {
  fltr::make_federation(fltr::LinearRanker(5), fltr::NoClicks{}, fltr::Pdgd{}, Detector{}).start(fltr::split_iid(data));
}
