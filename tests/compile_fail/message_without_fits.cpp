// build error: fltr: Learner::Message must have bool fits
#include "parts.hpp"

struct Note {
  int value = 0;
  auto fields(auto&& visit) { return visit(value); }
};
struct Writes {
  using Message = Note;
  Note learn(auto const&, auto const&, auto&) const { return {}; }
};
auto federation = fltr::make_federation(fltr::LinearRanker(5), fltr::NoClicks{}, Writes{}, fltr::FedAvg{});
