// first error: fltr: the Ranker's member 'initialise' has no effect: the hook is called 'initialize'
#include "parts.hpp"

struct British : fltr::LinearRanker {
  using fltr::LinearRanker::LinearRanker;
  void initialise(fltr::Stream&) {}
};
auto federation = fltr::make_federation(British(5), fltr::NoClicks{}, fltr::Pdgd{}, fltr::FedAvg{});
