// build error: fltr: the Population's hook 'reports' must be callable as bool reports\(RoundPhase const& at
#include "parts.hpp"

struct Unreliable : fltr::IidPopulation {
  using fltr::IidPopulation::IidPopulation;
  bool reports(std::uint32_t, std::size_t, fltr::Stream&) const { return false; }
};
void run(fltr::Dataset const& data) {
  fltr::make_federation(fltr::LinearRanker(5), fltr::NoClicks{}, fltr::Pdgd{}, fltr::FedAvg{})
      .start(Unreliable(data, 3, 1))
      .advance();
}
