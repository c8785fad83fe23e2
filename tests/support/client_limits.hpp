#pragma once

#include <limits>

#include <fltr/accounting/client_account.hpp>

namespace fltr::testing {

/// The account of a client that takes part in everything once, for tests of other things.
[[nodiscard]] inline ClientAccount generous_account() {
  return ClientAccount({.most_participants = 1'000'000,
                        .most_interactions = 1'000,
                        .fewest_interactions = 0,
                        .epsilon_budget = std::numeric_limits<double>::infinity()});
}

}  // namespace fltr::testing
