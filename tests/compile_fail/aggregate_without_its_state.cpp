// build error: fltr: the Aggregator names a State, so its 'aggregate' must take it
#include "parts.hpp"

struct Momentum {
  using Sum = fltr::WeightSum;
  struct State {
    std::vector<double> velocity;
    auto fields(auto&& visit) { return visit(velocity); }
  };
  fltr::WeightSum sum(fltr::ParametricRanker auto const& ranker) const { return fltr::weight_sum_for(ranker); }
  void aggregate(fltr::WeightSum const&, fltr::ParametricRanker auto&) const {}
};
void run(fltr::Dataset const& data) {
  fltr::make_federation(fltr::LinearRanker(5), fltr::NoClicks{}, fltr::Pdgd{}, Momentum{}).start(fltr::split_iid(data));
}
