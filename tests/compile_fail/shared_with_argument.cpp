// build error: fltr: the Ranker's hook 'shared' must be callable as
#include "parts.hpp"

// Takes an argument: without the check the personal weights would travel too.
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
