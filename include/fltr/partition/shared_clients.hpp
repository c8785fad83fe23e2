#pragma once

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include <fltr/concepts/population.hpp>
#include <fltr/core/compiler.hpp>
#include <fltr/data/client.hpp>

namespace fltr {

/// A list of clients that never changes. Copies share the list, so that a copy takes 16 bytes for any number of clients
/// (a Training keeps a copy; a std::vector would copy all clients).
template <class C = Client>
class SharedClients {
 public:
  explicit SharedClients(std::vector<C> clients)
      : clients_(std::make_shared<std::vector<C> const>(std::move(clients))) {}
  // A move copies, so that a moved-from object stays valid.
  SharedClients(SharedClients const&) = default;
  SharedClients& operator=(SharedClients const&) = default;
  ~SharedClients() = default;

  [[nodiscard]] std::size_t size() const noexcept { return clients_->size(); }
  [[nodiscard]] C const& operator[](std::size_t i) const& noexcept { return (*clients_)[i]; }
  FLTR_UNAVAILABLE("a client refers to its population, so the population must not be a temporary: give it a name")
  C const& operator[](std::size_t) const&&;

  auto members(auto&& visit) const { return visit(*clients_); }

 private:
  std::shared_ptr<std::vector<C> const> clients_;
};
static_assert(Population<SharedClients<>>);

}  // namespace fltr
