// build error: fltr: the QuerySource's hook 'scaled_by' must be callable as ScaledBy scaled_by\(\) const
#include <fltr/privatizers/gamma_noise.hpp>

#include "parts.hpp"

struct OwnSource {
  fltr::QueryPool pool;
  std::size_t size() const { return pool.size(); }
  fltr::QueryView operator[](std::size_t i) const { return pool[i]; }
  fltr::QueryView draw(fltr::Stream& stream) const { return pool.draw(stream); }
  bool scaled_by() const { return false; }
};
struct OwnClient {
  fltr::ClientId id = 0;
  std::uint32_t interactions = 1;
  OwnSource queries;
};
void run() {
  fltr::make_federation(fltr::LinearRanker(5), fltr::NoClicks{}, fltr::Pdgd{}, fltr::FedAvg{}, fltr::GammaNoise{})
      .start(std::vector<OwnClient>(2));
}
