#pragma once

#include <cstddef>
#include <string>

#include <fltr/concepts/aggregator.hpp>
#include <fltr/concepts/population.hpp>
#include <fltr/concepts/ranker.hpp>
#include <fltr/core/error.hpp>
#include <fltr/federation/detail/distinct_ids.hpp>
#include <fltr/federation/round.hpp>

namespace fltr::detail {

/// Throws std::invalid_argument if a training cannot run with these clients and options.
template <class Policies, Population Clients>
void require_options(Policies const& policies, Clients const& clients, RunOptions const& options) {
  require(clients.size() > 0, "Training", "at least one client", clients.size());
  require(clients.size() >= minimum_clients(policies.ranker), "Training",
          "at least " + std::to_string(minimum_clients(policies.ranker)) + " clients for this ranker", clients.size());
  require_distinct_ids(clients, policies.execution);
  require(options.minimum_reports > 0, "Training", "minimum_reports >= 1", options.minimum_reports);
  // Otherwise every round would be discarded.
  std::string const fewest = std::to_string(clients.size()) + ", the number of clients";
  require(options.minimum_reports <= clients.size(), "Training", "minimum_reports of at most " + fewest,
          options.minimum_reports);
  require(minimum_messages(policies.aggregator) <= clients.size(), "Training",
          "an aggregator with minimum_messages of at most " + fewest, minimum_messages(policies.aggregator));
  require(options.epsilon_budget >= 0.0, "Training", "an epsilon_budget >= 0", options.epsilon_budget);
}

}  // namespace fltr::detail
