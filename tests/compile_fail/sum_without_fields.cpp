// first error: fltr: the Aggregator's Sum has no 'fields'
#include "parts.hpp"

struct Total {
  struct Sum {
    std::vector<double> values;
    void add(fltr::LocalWeights const&) {}
    void merge(Sum const&) {}
  };
  Sum sum(auto const&) const { return {}; }
  void aggregate(Sum const&, auto&) const {}
};
auto federation = fltr::make_federation(fltr::LinearRanker(5), fltr::NoClicks{}, fltr::Pdgd{}, Total{});
