// build error: fltr: the Learner's 'train' must return the weight of the message, a std::uint32_t
#include "parts.hpp"

struct Mine {
  using Message = fltr::LocalWeights;
  int train(auto&, auto const&, auto&) const { return 1; }
};
void run(fltr::Dataset const& data) {
  fltr::make_federation(fltr::LinearRanker(5), fltr::NoClicks{}, Mine{}, fltr::FedAvg{}).start(fltr::split_iid(data));
}
