// build error: fltr: the Learner has neither 'train' nor 'learn'
#include "parts.hpp"

struct Misspelt {
  using Message = fltr::LocalWeights;
  std::uint32_t trian(auto&, auto const& client, auto&) const { return client.interactions; }
};
void run(fltr::Dataset const& data) {
  fltr::make_federation(fltr::LinearRanker(5), fltr::NoClicks{}, Misspelt{}, fltr::FedAvg{})
      .start(fltr::split_iid(data));
}
