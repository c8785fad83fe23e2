#pragma once

namespace fltr {

/// Attackers see the messages of all clients.
struct FullKnowledge {};

/// Attackers see their own messages and the global model.
struct PartialKnowledge {};

}  // namespace fltr
