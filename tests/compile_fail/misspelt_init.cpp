// first error: fltr: the Ranker's member 'init' has no effect: the hook is called 'initialize'
#include "parts.hpp"

struct Abbreviates {
  std::vector<float> weights;
  void init(fltr::Stream& stream) { weights[0] = static_cast<float>(stream.normal()); }
  void score(fltr::QueryView, std::span<float>) const {}
  std::span<float> parameters() { return weights; }
  std::span<float const> parameters() const { return weights; }
  void backward(fltr::QueryView, std::span<float const>, std::span<float>) const {}
  auto fields(auto&& visit) { return visit(weights); }
};
auto federation = fltr::make_federation(Abbreviates{}, fltr::NoClicks{}, fltr::Pdgd{}, fltr::FedAvg{});
