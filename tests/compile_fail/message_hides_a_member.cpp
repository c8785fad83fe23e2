// build error: fltr: Learner::Message must be copyable and have 'auto fields
#include "parts.hpp"

// The score is in the padding of LocalWeights, which does not list it.
struct Scored : fltr::LocalWeights {
  float score = 0.0F;
};
struct Scores {
  using Message = Scored;
  Scored learn(auto const&, auto const&, auto&) const { return {}; }
};
void run(fltr::Dataset const& data) {
  fltr::make_federation(fltr::LinearRanker(5), fltr::NoClicks{}, Scores{}, fltr::FedAvg{})
      .start(fltr::split_iid(data))
      .advance();
}
