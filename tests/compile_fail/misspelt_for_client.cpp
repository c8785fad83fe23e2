// first error: fltr: the ClickModel's member 'for_client' has no effect: the hook is called 'of'
#include "parts.hpp"

struct Personal : fltr::NoClicks {
  fltr::NoClicks for_client(fltr::ClientId) const { return {}; }
};
auto federation = fltr::make_federation(fltr::LinearRanker(5), Personal{}, fltr::Pdgd{}, fltr::FedAvg{});
