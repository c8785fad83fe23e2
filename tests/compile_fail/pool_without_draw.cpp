// build error: fltr: the clients' member 'queries' must be a QuerySource
#include "parts.hpp"

struct Pool {
  fltr::QueryPool pool;
  std::size_t size() const { return pool.size(); }
  fltr::QueryView operator[](std::size_t i) const { return pool[i]; }
};
struct OwnClient {
  fltr::ClientId id = 0;
  std::uint32_t interactions = 1;
  Pool queries;
};
void run() {
  fltr::make_federation(fltr::LinearRanker(5), fltr::NoClicks{}, fltr::Pdgd{}, fltr::FedAvg{})
      .start(std::vector<OwnClient>(3));
}
