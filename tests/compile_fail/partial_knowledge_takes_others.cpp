// build error: no matching (member )?function for call to .*poison
#include <fltr/attacks/min_max.hpp>

#include "parts.hpp"

// With PartialKnowledge there is no parameter for the honest messages.
void run(std::span<fltr::ClientMessage<fltr::LocalWeights>> mine,
         std::span<fltr::ClientMessage<fltr::LocalWeights> const> others, fltr::LinearRanker const& global,
         fltr::AttackContext const& context) {
  fltr::MinMax<fltr::PartialKnowledge>{}.poison(mine, global, context);          // compiles
  fltr::MinMax<fltr::PartialKnowledge>{}.poison(mine, others, global, context);  // does not
}
