// first error: fltr: the Aggregator's 'aggregate' must be const
#include "parts.hpp"

struct Counts {
  using Sum = fltr::WeightSum;
  int rounds = 0;
  Sum sum(auto const& ranker) const { return fltr::weight_sum_for(ranker); }
  void aggregate(Sum const&, auto&) { ++rounds; }
};
auto federation = fltr::make_federation(fltr::LinearRanker(5), fltr::NoClicks{}, fltr::Pdgd{}, Counts{});
