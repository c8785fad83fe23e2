// build error: fltr: the Learner's State must have 'auto fields
#include "parts.hpp"

// `fields` also reads a saved State into its members: it cannot be const.
struct Mine : fltr::Pdgd {
  struct State {
    int rounds = 0;
    auto fields(auto&& visit) const { return visit(rounds); }
  };
};
void run(fltr::Dataset const& data) {
  fltr::make_federation(fltr::LinearRanker(5), fltr::NoClicks{}, Mine{}, fltr::FedAvg{}).start(fltr::split_iid(data));
}
