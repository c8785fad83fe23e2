#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <fltr/concepts/population.hpp>
#include <fltr/core/compiler.hpp>
#include <fltr/core/error.hpp>
#include <fltr/data/dataset.hpp>
#include <fltr/data/query_pool.hpp>
#include <fltr/data/query_sequence.hpp>
#include <fltr/data/secrecy.hpp>
#include <fltr/data/user_queries.hpp>
#include <fltr/partition/user_population.hpp>

namespace fltr {

/// One client for each user of a query log. A client asks its own queries in the order of time; after the last query
/// the first one follows (see QuerySequence). A user without queries is a client too.
///
/// **Privacy.** Who the users of the log are is public. With `minimum_queries`, a user's number of queries decides
/// whether it is a client: a ledger then accounts epsilon = infinity, unless the numbers are declared
/// Secrecy::published.
///
///     auto const data = fltr::read_letor("letor.txt");
///     auto const clients = fltr::ByUser{.log = fltr::read_user_queries("metadata.csv", data)}.split(data);
struct ByUser {
  UserQueries log;                             ///< of the Dataset that is split
  std::uint32_t interactions = 4;              ///< per client and round
  std::size_t minimum_queries = 0;             ///< users with fewer queries are left out
  Secrecy quantities = Secrecy::confidential;  ///< whether the users' numbers of queries are public

  /// The Dataset must outlive the population.
  template <class = void>
  [[nodiscard]] UserPopulation split(Dataset const& data) const {
    require(log.users.size() == log.queries.size(), "ByUser", "one list of queries for each user", log.queries.size());
    require(interactions > 0, "ByUser", "at least one interaction per round", interactions);
    std::vector<UserClient> clients;
    std::vector<std::string> names;
    for (std::size_t u = 0; u < log.users.size(); ++u) {
      if (log.queries[u].size() < minimum_queries) continue;
      clients.push_back({static_cast<ClientId>(clients.size()), interactions, {QueryPool(data, log.queries[u])}});
      names.push_back(log.users[u]);
    }
    require(!clients.empty(), "ByUser",
            "at least one user with minimum_queries = " + std::to_string(minimum_queries) + " queries", "none");
    bool const shown = minimum_queries > 0 && quantities == Secrecy::confidential;
    return {std::move(clients), std::move(names),
            shown ? "users with few queries are left out, and numbers of queries are not declared public" : ""};
  }
  FLTR_UNAVAILABLE(
      "the result of ByUser::split refers to its Dataset, so the Dataset must not be a temporary: give it a name")
  UserPopulation split(Dataset const&&) const;
};
static_assert(Partitioner<ByUser>);

}  // namespace fltr
