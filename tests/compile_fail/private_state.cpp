// build error: fltr: a policy's 'State' must be a public nested type
#include "parts.hpp"

// State is private. Without the check, the state would not be kept between rounds.
class Remembers {
  struct State {
    int rounds = 0;
    auto fields(auto&& visit) { return visit(rounds); }
  };

 public:
  using Message = fltr::LocalWeights;
  fltr::LocalWeights learn(fltr::ParametricRanker auto const& ranker, auto const& client, auto&) const {
    auto const w = ranker.parameters();
    return {{w.begin(), w.end()}, client.interactions};
  }
};
void run(fltr::Dataset const& data) {
  fltr::make_federation(fltr::LinearRanker(5), fltr::NoClicks{}, Remembers{}, fltr::FedAvg{})
      .start(fltr::split_iid(data));
}
