// build error: fltr: the Learner's State must have 'auto fields
#include "parts.hpp"

// A pointer is not valid in another process.
struct Remembers : fltr::Pdgd {
  struct State {
    float* last = nullptr;
    auto fields(auto&& visit) { return visit(last); }
  };
};
void run(fltr::Dataset const& data) {
  fltr::make_federation(fltr::LinearRanker(5), fltr::NoClicks{}, Remembers{}, fltr::FedAvg{})
      .start(fltr::split_iid(data));
}
