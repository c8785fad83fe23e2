#pragma once

#include <cstdint>

#include <fltr/data/client.hpp>

namespace fltr {

/// A message and its sender.
template <class M>
struct ClientMessage {
  ClientId client = 0;
  M message;
  std::uint64_t position = 0;  ///< of the client in the population; decides its place in the sum (see sum_messages)

  auto fields(auto&& visit) { return visit(client, message, position); }
};

}  // namespace fltr
