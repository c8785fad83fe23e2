// first error: fltr: the Learner's 'train' must be const
#include "parts.hpp"

struct Counts {
  using Message = fltr::LocalWeights;
  int clients = 0;
  std::uint32_t train(auto&, auto const& client, auto&) {
    ++clients;
    return client.interactions;
  }
};
void run(fltr::Dataset const& data) {
  fltr::make_federation(fltr::LinearRanker(5), fltr::NoClicks{}, Counts{}, fltr::FedAvg{}).start(fltr::split_iid(data));
}
