// build error: fltr: the Ranker's hook 'shared' must be callable as
#include "parts.hpp"

// `shared` takes an argument. Without the check, it would not be called and the personal weights would be sent too.
struct Personal : fltr::LinearRanker {
  using fltr::LinearRanker::LinearRanker;
  std::span<float> shared(int count) { return parameters().first(static_cast<std::size_t>(count)); }
  std::span<float const> shared(int count) const { return parameters().first(static_cast<std::size_t>(count)); }
};
void run(fltr::Dataset const& data) {
  fltr::make_federation(Personal(5), fltr::NoClicks{}, fltr::Pdgd{}, fltr::FedAvg{})
      .start(fltr::split_iid(data))
      .advance();
}
