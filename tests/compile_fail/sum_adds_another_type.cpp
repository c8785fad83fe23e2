// first error: fltr: the Aggregator's Sum has no 'add' for this Learner's Message
#include "parts.hpp"

struct Total {
  struct Sum {
    double value = 0.0;
    void add(double number) { value += number; }
    void merge(Sum const&) {}
    auto fields(auto&& visit) { return visit(value); }
  };
  Sum sum(auto const&) const { return {}; }
  void aggregate(Sum const&, auto&) const {}
};
auto federation = fltr::make_federation(fltr::LinearRanker(5), fltr::NoClicks{}, fltr::Pdgd{}, Total{});
