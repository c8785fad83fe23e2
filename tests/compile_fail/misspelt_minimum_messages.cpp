// first error: fltr: the Aggregator's member 'minimum_mesages' has no effect: the hook is called 'minimum_messages'
#include "parts.hpp"

struct Cautious : fltr::FedAvg {
  std::size_t minimum_mesages() const { return 10; }
};
auto federation = fltr::make_federation(fltr::LinearRanker(5), fltr::NoClicks{}, fltr::Pdgd{}, Cautious{});
