// build error: fltr: the Ranker's hook 'shared' must be callable as
#include "parts.hpp"

// `shared` has no const overload. Without the check, the server would expect all parameters and reject every message.
struct Personal : fltr::LinearRanker {
  using fltr::LinearRanker::LinearRanker;
  std::span<float> shared() { return parameters().first(2); }
};
void run(fltr::Dataset const& data) {
  fltr::make_federation(Personal(5), fltr::NoClicks{}, fltr::Pdgd{}, fltr::FedAvg{})
      .start(fltr::split_iid(data))
      .advance();
}
