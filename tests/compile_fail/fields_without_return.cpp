// build error: fltr: the Unlearner's State must have 'auto fields
#include "parts.hpp"

// `fields` must return the result of `visit`: the types of the members are read from it.
struct Keeps {
  struct State {
    int rounds = 0;
    void fields(auto&& visit) { visit(rounds); }
  };
  bool keeps(std::uint32_t) const { return true; }
  void record(State& state, std::uint32_t, auto const&, auto const&) const { ++state.rounds; }
};
void run(fltr::Dataset const& data) {
  fltr::make_federation(fltr::LinearRanker(5), fltr::NoClicks{}, fltr::Pdgd{}, fltr::FedAvg{})
      .with_unlearner(Keeps{})
      .start(fltr::split_iid(data));
}
