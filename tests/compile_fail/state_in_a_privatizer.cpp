// build error: fltr: a Privatizer keeps nothing between rounds
#include "parts.hpp"

struct Adaptive {
  struct State {
    double clip = 1.0;
    auto fields(auto&& visit) { return visit(clip); }
  };
  fltr::LocalWeights privatize(fltr::LocalWeights m, fltr::PrivacyContext const&) const { return m; }
};
void run(fltr::Dataset const& data) {
  fltr::make_federation(fltr::LinearRanker(5), fltr::NoClicks{}, fltr::Pdgd{}, fltr::FedAvg{}, Adaptive{})
      .start(fltr::split_iid(data));
}
