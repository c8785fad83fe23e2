// build error: queries.*non-class type|is not a structure or union
#include "parts.hpp"

// Also with full knowledge a sender is a number: attackers cannot reach the data of a client.
struct ReadsQueries {
  fltr::NoAttack::NoClients malicious;
  void poison(std::span<fltr::ClientMessage<fltr::LocalWeights>>,
              std::span<fltr::ClientMessage<fltr::LocalWeights> const> others, fltr::LinearRanker const&,
              fltr::AttackContext const&) const {
    static_cast<void>(others[0].client.queries);
  }
};
