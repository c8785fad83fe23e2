#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fltr/concepts/population.hpp>
#include <fltr/core/compiler.hpp>
#include <fltr/core/error.hpp>
#include <fltr/core/number_text.hpp>
#include <fltr/core/random.hpp>
#include <fltr/data/client.hpp>
#include <fltr/data/dataset.hpp>
#include <fltr/data/query_pool.hpp>
#include <fltr/partition/detail/dirichlet_shares.hpp>
#include <fltr/partition/shared_clients.hpp>

namespace fltr {

/// Clients with different numbers of queries (quantity skew of Li et al. 2022): the shares of the clients in the queries
/// are a draw of the Dirichlet distribution with concentration `alpha`. Each query belongs to one client, drawn without
/// regard to its content.
struct DirichletOverQueries {
  double alpha = 0.5;  ///< small: few clients have nearly all queries; large: all clients have equally many
  std::size_t clients = 10;
  std::uint32_t interactions = 5;   ///< per client and round
  std::size_t minimum_queries = 1;  ///< of every client; shares are drawn again until they give it
  std::uint32_t most_tries = 100;   ///< draws until the error that the minimum was not reached
  std::uint64_t seed = 1;

  /// The Dataset must outlive the population.
  template <class = void>
  [[nodiscard]] SharedClients<Client> split(Dataset const& data) const {
    constexpr char const* who = "DirichletOverQueries";
    detail::require_concentration(who, alpha);
    require(clients > 0 && clients <= 0xFFFFFFFFU, who, "1 to 2^32 - 1 clients", clients);
    require(interactions > 0, who, "at least one interaction per round", interactions);
    require(most_tries > 0, who, "most_tries >= 1", most_tries);
    require(minimum_queries * clients <= data.size(), who,
            std::to_string(minimum_queries) + " queries for each of " + std::to_string(clients) + " clients",
            std::to_string(data.size()) + " queries in all");
    auto const ends = drawn_ends(data.size());
    std::vector<std::uint32_t> order(data.size());
    std::iota(order.begin(), order.end(), 0U);
    auto stream = Streams{seed, 0, 0}.of(Purpose::partition);
    stream.shuffle(std::span(order));
    std::vector<Client> out;
    out.reserve(clients);
    std::size_t from = 0;
    for (std::size_t const to : ends) {
      std::vector<std::uint32_t> own(order.data() + from, order.data() + to);
      std::ranges::sort(own);
      out.push_back({static_cast<ClientId>(out.size()), interactions, QueryPool(data, std::move(own))});
      from = to;
    }
    return SharedClients<Client>(std::move(out));
  }
  FLTR_UNAVAILABLE(
      "the result of DirichletOverQueries::split refers to its Dataset, so the Dataset must not be a temporary: give "
      "it a name")
  SharedClients<Client> split(Dataset const&&) const;

 private:
  [[nodiscard]] std::vector<std::size_t> drawn_ends(std::size_t queries) const {
    std::size_t best = 0;
    for (std::uint32_t t = 1; t <= most_tries; ++t) {
      auto stream = Streams{seed, t, 0}.of(Purpose::partition);
      auto ends = detail::cut_by_shares(queries, detail::dirichlet_shares(clients, alpha, stream));
      std::size_t smallest = ends[0];
      for (std::size_t i = 1; i < ends.size(); ++i) smallest = std::min(smallest, ends[i] - ends[i - 1]);
      if (smallest >= minimum_queries) return ends;
      best = std::max(best, smallest);
    }
    throw_requirement("DirichletOverQueries",
                      "at least minimum_queries = " + std::to_string(minimum_queries) + " queries for each of " +
                          std::to_string(clients) + " clients with alpha " + number_text(alpha),
                      "a client with " + std::to_string(best) + " in the best of " + std::to_string(most_tries) +
                          " draws (a minimum of 0 allows clients without queries)");
  }
};
static_assert(Partitioner<DirichletOverQueries>);

}  // namespace fltr
