// build error: fltr: the Unlearner names a State but has no 'record'
#include "parts.hpp"

struct Eraser {
  struct State {
    std::vector<float> norms;
    auto fields(auto&& visit) { return visit(norms); }
  };
  bool keeps(std::uint32_t) const { return true; }
  void recrod(State& state, std::uint32_t, auto const&, auto const&) const { state.norms.push_back(1.0F); }
};
void run(fltr::Dataset const& data) {
  fltr::make_federation(fltr::LinearRanker(5), fltr::NoClicks{}, fltr::Pdgd{}, fltr::FedAvg{})
      .with_unlearner(Eraser{})
      .start(fltr::split_iid(data));
}
