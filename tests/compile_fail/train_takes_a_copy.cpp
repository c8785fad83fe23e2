// build error: fltr: the Learner's 'train' must take the ranker by reference
#include "parts.hpp"

// `train` takes the ranker by value. Without the check, every message would be the unchanged broadcast ranker.
struct Mine {
  using Message = fltr::LocalWeights;
  std::uint32_t train(fltr::LinearRanker local, auto const& client, auto&) const {
    local.parameters()[0] = 1.0F;
    return client.interactions;
  }
};
void run(fltr::Dataset const& data) {
  fltr::make_federation(fltr::LinearRanker(5), fltr::NoClicks{}, Mine{}, fltr::FedAvg{}).start(fltr::split_iid(data));
}
