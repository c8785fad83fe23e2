// build error: fltr: the Privatizer's hook 'constrain' must be callable
#include "parts.hpp"

// `constrain` takes a vector instead of a span. Without the check, it would never be called.
struct Clips {
  void constrain(std::vector<float>& weights) const { weights.clear(); }
  fltr::LocalWeights privatize(fltr::LocalWeights m, fltr::PrivacyContext const&) const { return m; }
};
void run(fltr::Dataset const& data) {
  fltr::make_federation(fltr::LinearRanker(5), fltr::NoClicks{}, fltr::Pdgd{}, fltr::FedAvg{}, Clips{})
      .start(fltr::split_iid(data))
      .advance();
}
