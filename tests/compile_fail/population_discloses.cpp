// build error: fltr: the Population's hook 'discloses' must be callable as std::string discloses\(\) const
#include <fltr/privatizers/gamma_noise.hpp>

#include "parts.hpp"

struct Chosen : fltr::IidPopulation {
  using fltr::IidPopulation::IidPopulation;
  std::string discloses(std::size_t) const { return "clients were chosen by their data"; }
};
void run(fltr::Dataset const& data) {
  fltr::make_federation(fltr::LinearRanker(5), fltr::NoClicks{}, fltr::Pdgd{}, fltr::FedAvg{}, fltr::GammaNoise{})
      .start(Chosen(data, 3, 1));
}
