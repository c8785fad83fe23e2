// first error: fltr: the Aggregator's Sum has no 'merge'
#include "parts.hpp"

struct Forgets {
  struct Sum {
    void add(fltr::LocalWeights const&) {}
    auto fields(auto&& visit) { return visit(); }
  };
  Sum sum(auto const&) const { return {}; }
  void aggregate(Sum const&, auto&) const {}
};
auto federation = fltr::make_federation(fltr::LinearRanker(5), fltr::NoClicks{}, fltr::Pdgd{}, Forgets{});
