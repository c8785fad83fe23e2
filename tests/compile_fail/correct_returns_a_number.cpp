// build error: fltr: 'correct' of Replay::step must return nothing, or a bool
#include "parts.hpp"

struct Eraser {
  bool keeps(std::uint32_t) const { return false; }
  void unlearn(auto& replay) const {
    replay.step(1, 0, [](auto const&, std::uint32_t, auto const&, fltr::LocalWeights&) { return 0.5; });
  }
};
void run(fltr::Dataset const& data) {
  fltr::make_federation(fltr::LinearRanker(5), fltr::NoClicks{}, fltr::Pdgd{}, fltr::FedAvg{})
      .with_unlearner(Eraser{})
      .start(fltr::split_iid(data))
      .forget({1});
}
