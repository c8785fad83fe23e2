#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include <fltr/concepts/population.hpp>
#include <fltr/core/compiler.hpp>
#include <fltr/core/error.hpp>
#include <fltr/data/client.hpp>
#include <fltr/data/dataset.hpp>
#include <fltr/data/regroup.hpp>

namespace fltr {

/// Clients between which the documents of a query are divided. Each document belongs to one client. The population owns
/// the Dataset, in which the documents of a query are rearranged by client (see regroup). A client has a query for each
/// original query of which it has a document. Copies share Dataset and clients.
class RegroupedPopulation {
 public:
  /// `client_of_document`: the client of each document, a number below `clients`. A Dataset that is moved in is
  /// rearranged in place: its features are not copied. A client without documents has no queries.
  RegroupedPopulation(Dataset data, std::span<std::uint32_t const> client_of_document, std::size_t clients,
                      std::uint32_t interactions) {
    require(clients > 0 && clients <= 0xFFFFFFFFU, "RegroupedPopulation", "1 to 2^32 - 1 clients", clients);
    require(interactions > 0, "RegroupedPopulation", "at least one interaction per round", interactions);
    auto content = std::make_shared<Content>();
    content->regrouped = regroup(std::move(data), client_of_document);
    content->clients.reserve(clients);
    for (auto& pool : content->regrouped.pools(clients))
      content->clients.push_back({static_cast<ClientId>(content->clients.size()), interactions, pool});
    content_ = std::move(content);
  }
  // A move copies, so that a moved-from object stays valid.
  RegroupedPopulation(RegroupedPopulation const&) = default;
  RegroupedPopulation& operator=(RegroupedPopulation const&) = default;
  ~RegroupedPopulation() = default;

  [[nodiscard]] std::size_t size() const noexcept { return content_->clients.size(); }
  /// One of the copies of this population must outlive the client.
  [[nodiscard]] Client const& operator[](std::size_t i) const& noexcept { return content_->clients[i]; }
  FLTR_UNAVAILABLE("a client refers to its population, so the population must not be a temporary: give it a name")
  Client const& operator[](std::size_t) const&&;

  /// The Dataset of all clients: all documents of the original Dataset, with a query for each pair of an original query
  /// and a client.
  [[nodiscard]] Dataset const& data() const& noexcept { return content_->regrouped.data(); }
  FLTR_UNAVAILABLE("the Dataset refers to its population, which must not be a temporary: give it a name")
  Dataset const& data() const&&;
  /// The same Dataset with the original query and the client of each query.
  [[nodiscard]] RegroupedDataset const& regrouped() const& noexcept { return content_->regrouped; }
  FLTR_UNAVAILABLE("the RegroupedDataset refers to its population, which must not be a temporary: give it a name")
  RegroupedDataset const& regrouped() const&&;

  auto members(auto&& visit) const { return visit(content_->regrouped.data(), content_->clients); }

 private:
  struct Content {
    RegroupedDataset regrouped;
    std::vector<Client> clients;  // their pools refer to `regrouped`
  };

  std::shared_ptr<Content const> content_;
};
static_assert(Population<RegroupedPopulation>);

}  // namespace fltr
