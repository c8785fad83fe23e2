#pragma once

#include <cstddef>
#include <cstdint>

#include <fltr/concepts/population.hpp>
#include <fltr/core/compiler.hpp>
#include <fltr/core/error.hpp>
#include <fltr/data/client.hpp>
#include <fltr/data/dataset.hpp>
#include <fltr/data/query_pool.hpp>

namespace fltr {

/// Clients that all draw from the whole Dataset. The population stores no clients: it makes one on each access. The
/// Dataset must outlive it.
class IidPopulation {
 public:
  IidPopulation(Dataset const& data, std::size_t clients, std::uint32_t interactions)
      : data_(&data), clients_(clients), interactions_(interactions) {
    require(data.size() > 0, "IidPopulation", "a dataset with at least one query", data.size());
    require(clients > 0 && clients <= 0xFFFFFFFFU, "IidPopulation", "1 to 2^32 - 1 clients", clients);
    require(interactions > 0, "IidPopulation", "at least one interaction per round", interactions);
  }
  FLTR_UNAVAILABLE("IidPopulation refers to its Dataset, so the Dataset must not be a temporary: give it a name")
  IidPopulation(Dataset const&&, std::size_t, std::uint32_t);

  [[nodiscard]] std::size_t size() const noexcept { return clients_; }
  [[nodiscard]] Client operator[](std::size_t i) const noexcept {
    return {static_cast<ClientId>(i), interactions_, QueryPool(*data_)};
  }

  auto members(auto&& visit) const { return visit(*data_, clients_, interactions_); }

 private:
  Dataset const* data_;
  std::size_t clients_;
  std::uint32_t interactions_;
};
static_assert(Population<IidPopulation>);

/// Independent and identically distributed clients, as in FPDGD and FOLtR-ES: each draws queries from the whole
/// Dataset, with replacement.
struct Iid {
  std::size_t clients = 1000;
  std::uint32_t interactions = 4;  ///< per client and round

  [[nodiscard]] IidPopulation split(Dataset const& data) const { return {data, clients, interactions}; }
  FLTR_UNAVAILABLE(
      "the result of Iid::split refers to its Dataset, so the Dataset must not be a temporary: give it a name")
  IidPopulation split(Dataset const&&) const;
};
static_assert(Partitioner<Iid>);

[[nodiscard]] inline IidPopulation split_iid(Dataset const& data, Iid options = {}) { return options.split(data); }
FLTR_UNAVAILABLE(
    "the result of split_iid refers to its Dataset, so the Dataset must not be a temporary: give it a name")
IidPopulation split_iid(Dataset const&&, Iid = {});

}  // namespace fltr
