// build error: fltr: 'correct' of Replay::step must be callable as correct\(State const& kept
#include "parts.hpp"

// The parameter for the round is missing.
struct Eraser {
  bool keeps(std::uint32_t) const { return false; }
  void unlearn(auto& replay) const {
    replay.step(1, 0, [](auto const&, auto const&, fltr::LocalWeights&) {});
  }
};
void run(fltr::Dataset const& data) {
  fltr::make_federation(fltr::LinearRanker(5), fltr::NoClicks{}, fltr::Pdgd{}, fltr::FedAvg{})
      .with_unlearner(Eraser{})
      .start(fltr::split_iid(data))
      .forget({1});
}
