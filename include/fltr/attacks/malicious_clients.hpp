#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <utility>
#include <vector>

#include <fltr/data/client.hpp>

namespace fltr {

/// The clients of an attack: those with the smallest ids, or a list of ids.
class MaliciousClients {
 public:
  MaliciousClients() = default;
  explicit MaliciousClients(std::vector<ClientId> ids) : ids_(std::move(ids)) { std::ranges::sort(ids_); }
  MaliciousClients(std::initializer_list<ClientId> ids) : MaliciousClients(std::vector<ClientId>(ids)) {}

  /// The clients with the ids 0, 1, …, count − 1.
  [[nodiscard]] static MaliciousClients first(std::uint64_t count) {
    MaliciousClients out;
    out.first_ = count;
    return out;
  }

  [[nodiscard]] bool contains(ClientId client) const {
    return client < first_ || std::ranges::binary_search(ids_, client);
  }

  auto members(auto&& visit) const { return visit(first_, ids_); }

 private:
  std::uint64_t first_ = 0;
  std::vector<ClientId> ids_;
};

}  // namespace fltr
