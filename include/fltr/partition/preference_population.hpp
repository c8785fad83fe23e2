#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include <fltr/concepts/population.hpp>
#include <fltr/core/compiler.hpp>
#include <fltr/core/error.hpp>
#include <fltr/data/client.hpp>
#include <fltr/data/query_pool.hpp>
#include <fltr/partition/pool_population.hpp>

namespace fltr {

/// Clients that judge the same documents by different intents (see ByPreference). Client i has intent i modulo the
/// number of intents. Clients of one intent share its grades; a client itself takes no memory. The Dataset must outlive
/// the population.
class PreferencePopulation {
 public:
  /// `intents`: the queries with the grades of each intent (see intent_pools). `merged`: the queries of the IID twin.
  PreferencePopulation(std::vector<QueryPool> intents, QueryPool merged, std::size_t clients,
                       std::uint32_t interactions)
      : clients_(clients), interactions_(interactions) {
    require(!intents.empty(), "PreferencePopulation", "at least one intent", intents.size());
    require(merged.size() > 0, "PreferencePopulation", "a dataset with at least one query", merged.size());
    require(clients > 0 && clients <= 0xFFFFFFFFU, "PreferencePopulation", "1 to 2^32 - 1 clients", clients);
    require(interactions > 0, "PreferencePopulation", "at least one interaction per round", interactions);
    content_ = std::make_shared<Content const>(Content{std::move(intents), std::move(merged)});
  }
  // A move copies, so that a moved-from object stays valid.
  PreferencePopulation(PreferencePopulation const&) = default;
  PreferencePopulation& operator=(PreferencePopulation const&) = default;
  ~PreferencePopulation() = default;

  [[nodiscard]] std::size_t size() const noexcept { return clients_; }
  [[nodiscard]] Client operator[](std::size_t i) const noexcept {
    return {static_cast<ClientId>(i), interactions_, content_->intents[intent_of(i)]};
  }

  [[nodiscard]] std::size_t intent_count() const noexcept { return content_->intents.size(); }
  /// The intent of client i.
  [[nodiscard]] std::size_t intent_of(std::size_t i) const noexcept { return i % intent_count(); }
  /// The queries with the grades of an intent.
  [[nodiscard]] QueryPool const& queries_of_intent(std::size_t intent) const& noexcept {
    return content_->intents[intent];
  }
  FLTR_UNAVAILABLE("the pool of an intent refers to its population, which must not be a temporary: give it a name")
  QueryPool const& queries_of_intent(std::size_t) const&&;
  /// The queries with merged grades: a document is relevant if it is relevant for any intent.
  [[nodiscard]] QueryPool const& merged() const& noexcept { return content_->merged; }
  FLTR_UNAVAILABLE("the merged pool refers to its population, which must not be a temporary: give it a name")
  QueryPool const& merged() const&&;
  /// As many clients that all judge by the merged grades.
  [[nodiscard]] PoolPopulation iid_twin() const { return {content_->merged, clients_, interactions_}; }

  auto members(auto&& visit) const { return visit(content_->intents, content_->merged, clients_, interactions_); }

 private:
  struct Content {
    std::vector<QueryPool> intents;
    QueryPool merged;
  };

  std::shared_ptr<Content const> content_;
  std::size_t clients_;
  std::uint32_t interactions_;
};
static_assert(Population<PreferencePopulation>);

}  // namespace fltr
