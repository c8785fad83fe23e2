// first error: fltr: the Sum's member 'is_linear' has no effect: the hook is called 'linear'
#include "parts.hpp"

struct PlainSum {
  static constexpr bool is_linear = true;
  std::vector<double> values;
  void add(fltr::LocalWeights const&) {}
  void merge(PlainSum const&) {}
  auto fields(auto&& visit) { return visit(values); }
};
struct Adds {
  using Sum = PlainSum;
  Sum sum(auto const&) const { return {}; }
  void aggregate(Sum const&, auto&) const {}
};
auto federation = fltr::make_federation(fltr::LinearRanker(5), fltr::NoClicks{}, fltr::Pdgd{}, Adds{});
