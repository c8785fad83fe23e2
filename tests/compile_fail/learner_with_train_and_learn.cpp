// build error: fltr: the Learner has both 'learn' and 'train'
#include "parts.hpp"

struct Mine : fltr::Pdgd {
  fltr::LocalWeights learn(fltr::ParametricRanker auto const& ranker, auto const& client, auto&) const {
    auto const w = ranker.parameters();
    return {{w.begin(), w.end()}, client.interactions};
  }
};
void run(fltr::Dataset const& data) {
  fltr::make_federation(fltr::LinearRanker(5), fltr::NoClicks{}, Mine{}, fltr::FedAvg{}).start(fltr::split_iid(data));
}
