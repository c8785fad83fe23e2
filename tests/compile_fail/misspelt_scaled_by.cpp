// first error: fltr: the QuerySource's member 'scale_by' has no effect: the hook is called 'scaled_by'
#include "parts.hpp"

struct Scaled {
  fltr::QueryPool pool;
  std::size_t size() const { return pool.size(); }
  fltr::QueryView operator[](std::size_t i) const { return pool[i]; }
  fltr::QueryView draw(fltr::Stream& stream) const { return pool.draw(stream); }
  fltr::ScaledBy scale_by() const { return fltr::ScaledBy::documents; }
};
struct Searcher {
  fltr::ClientId id = 0;
  std::uint32_t interactions = 4;
  Scaled queries;
};
void run(std::vector<Searcher> const& searchers) {
  fltr::make_federation(fltr::LinearRanker(5), fltr::NoClicks{}, fltr::Pdgd{}, fltr::FedAvg{}).start(searchers);
}
