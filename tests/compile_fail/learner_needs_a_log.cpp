// build error: fltr: this Learner cannot work with the clients of this Population \(it may need a member
#include "parts.hpp"

#include <fltr/learners/ips.hpp>

void start(fltr::Dataset const& data) {
  auto const federation = fltr::make_federation(fltr::LinearRanker(5), fltr::NoClicks{}, fltr::Ips<>{}, fltr::FedAvg{});
  auto training = federation.start(fltr::split_iid(data));
}
