#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include <fltr/concepts/population.hpp>
#include <fltr/core/error.hpp>
#include <fltr/data/client.hpp>
#include <fltr/data/query_pool.hpp>

namespace fltr {

/// Clients that all draw from one QueryPool: IID clients on a choice of queries or on other grades than those of the
/// Dataset. The population makes a client on each access. The Dataset of the pool must outlive it.
class PoolPopulation {
 public:
  PoolPopulation(QueryPool pool, std::size_t clients, std::uint32_t interactions)
      : pool_(std::move(pool)), clients_(clients), interactions_(interactions) {
    require(pool_.size() > 0, "PoolPopulation", "a pool with at least one query", pool_.size());
    require(clients > 0 && clients <= 0xFFFFFFFFU, "PoolPopulation", "1 to 2^32 - 1 clients", clients);
    require(interactions > 0, "PoolPopulation", "at least one interaction per round", interactions);
  }

  [[nodiscard]] std::size_t size() const noexcept { return clients_; }
  [[nodiscard]] Client operator[](std::size_t i) const noexcept {
    return {static_cast<ClientId>(i), interactions_, pool_};
  }

  auto members(auto&& visit) const { return visit(pool_, clients_, interactions_); }

 private:
  QueryPool pool_;
  std::size_t clients_;
  std::uint32_t interactions_;
};
static_assert(Population<PoolPopulation>);

}  // namespace fltr
