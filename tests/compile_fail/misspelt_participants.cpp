// first error: fltr: the Population's member 'participant' has no effect: the hook is called 'participants'
#include "parts.hpp"

struct First : fltr::IidPopulation {
  using fltr::IidPopulation::IidPopulation;
  std::vector<std::uint32_t> participant(std::uint32_t, fltr::Stream&) const { return {0}; }
};
void run(fltr::Dataset const& data) {
  fltr::make_federation(fltr::LinearRanker(5), fltr::NoClicks{}, fltr::Pdgd{}, fltr::FedAvg{})
      .start(First(data, 10, 4));
}
