#pragma once

#include <fltr/data/client.hpp>

namespace fltr {

/// A message and who sent it.
template <class M>
struct Sent {
  ClientId client = 0;
  M message;

  void fields(auto&& visit) { visit(client, message); }
};

}  // namespace fltr
