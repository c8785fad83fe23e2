// build error: fltr: this Learner cannot train this Ranker
#include "parts.hpp"

struct Constant {
  void score(fltr::QueryView, std::span<float>) const {}
};
auto federation = fltr::make_federation(Constant{}, fltr::NoClicks{}, fltr::Pdgd{}, fltr::FedAvg{});
