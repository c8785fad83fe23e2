#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fltr/concepts/population.hpp>
#include <fltr/concepts/query_source.hpp>
#include <fltr/core/compiler.hpp>
#include <fltr/core/error.hpp>
#include <fltr/data/client.hpp>
#include <fltr/data/query_sequence.hpp>

namespace fltr {

/// A client that asks its queries in the order of time.
struct UserClient {
  ClientId id = 0;
  std::uint32_t interactions = 4;  ///< the number of queries that the client asks per round
  QuerySequence queries;
};
static_assert(HasQueries<UserClient>);

/// Clients that are users of a query log (see ByUser). Copies share the list. The Dataset must outlive the population.
class UserPopulation {
 public:
  /// `names`: one for each client. `discloses`: why the choice of the clients depends on their data; empty: it does not.
  UserPopulation(std::vector<UserClient> clients, std::vector<std::string> names, std::string discloses = {}) {
    require(!clients.empty(), "UserPopulation", "at least one user", clients.size());
    require(names.size() == clients.size(), "UserPopulation", "one name for each user", names.size());
    content_ = std::make_shared<Content const>(Content{std::move(clients), std::move(names), std::move(discloses)});
  }
  // A move copies, so that a moved-from object stays valid.
  UserPopulation(UserPopulation const&) = default;
  UserPopulation& operator=(UserPopulation const&) = default;
  ~UserPopulation() = default;

  [[nodiscard]] std::size_t size() const noexcept { return content_->clients.size(); }
  [[nodiscard]] UserClient const& operator[](std::size_t i) const& noexcept { return content_->clients[i]; }
  FLTR_UNAVAILABLE("a client refers to its population, so the population must not be a temporary: give it a name")
  UserClient const& operator[](std::size_t) const&&;
  [[nodiscard]] std::string discloses() const { return content_->discloses; }
  /// The name of the user in the log.
  [[nodiscard]] std::string const& name_of(std::size_t i) const& noexcept { return content_->names[i]; }
  FLTR_UNAVAILABLE("the name of a user refers to its population, which must not be a temporary: give it a name")
  std::string const& name_of(std::size_t) const&&;

  auto members(auto&& visit) const { return visit(content_->clients, content_->names); }

 private:
  struct Content {
    std::vector<UserClient> clients;
    std::vector<std::string> names;
    std::string discloses;
  };

  std::shared_ptr<Content const> content_;
};
static_assert(Population<UserPopulation>);

}  // namespace fltr
