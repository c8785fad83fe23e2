// build error: fltr: the Learner's hook 'personal' must be callable as personal
#include "parts.hpp"

struct Inner : fltr::Pdgd {
  struct State {
    float bias = 0.0F;
    auto fields(auto&& visit) { return visit(bias); }
  };
  fltr::LinearRanker personal(fltr::LinearRanker ranker, State const&) const { return ranker; }
};
// Mine inherits `personal`, which takes the State of Inner instead of its own.
struct Mine : Inner {
  struct State {
    int rounds = 0;
    auto fields(auto&& visit) { return visit(rounds); }
  };
};
void run(fltr::Dataset const& data) {
  fltr::make_federation(fltr::LinearRanker(5), fltr::NoClicks{}, Mine{}, fltr::FedAvg{}).start(fltr::split_iid(data));
}
