// build error: fltr: the Message's hook 'discloses' must be callable as static
#include "parts.hpp"

#include <fltr/privatizers/laplace_noise.hpp>

struct Telling : fltr::LocalWeights {
  static char const* discloses() { return "everything"; }
  auto fields(auto&& visit) { return LocalWeights::fields(visit); }
};
struct Tells {
  using Message = Telling;
  Telling learn(auto const&, auto const&, auto&) const { return {}; }
};
void run(fltr::Dataset const& data) {
  fltr::make_federation(fltr::LinearRanker(5), fltr::NoClicks{}, Tells{}, fltr::FedAvg{}, fltr::LaplaceNoise{})
      .start(fltr::split_iid(data))
      .advance();
}
