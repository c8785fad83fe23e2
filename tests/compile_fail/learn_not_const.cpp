// first error: fltr: the Learner's 'learn' must be const
#include "parts.hpp"

struct Counts {
  using Message = fltr::LocalWeights;
  int clients = 0;
  Message learn(auto const&, auto const& client, auto&) {
    ++clients;
    return {{0, 0, 0, 0, 0}, client.interactions};
  }
};
void run(fltr::Dataset const& data) {
  fltr::make_federation(fltr::LinearRanker(5), fltr::NoClicks{}, Counts{}, fltr::FedAvg{}).start(fltr::split_iid(data));
}
