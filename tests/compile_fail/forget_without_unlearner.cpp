// build error: fltr: this federation cannot forget
#include "parts.hpp"

void run(fltr::Dataset const& data) {
  auto training = fltr::make_federation(fltr::LinearRanker(5), fltr::NoClicks{}, fltr::Pdgd{}, fltr::FedAvg{})
                      .start(fltr::split_iid(data));
  training.forget({1});
}
