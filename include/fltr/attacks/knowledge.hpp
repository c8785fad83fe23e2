#pragma once

#include <concepts>

#include <fltr/core/compiler.hpp>

namespace fltr {

/// Attackers see the messages of all clients, before the server does. All messages of a round are then in memory at
/// once, also with a streaming aggregator, and the attacks of the library make a copy of them: 8 n d bytes for n messages
/// of d values. With PartialKnowledge only the messages of the attackers are kept.
struct FullKnowledge {};

/// Attackers see their own messages and the global model.
struct PartialKnowledge {};

/// What the attackers of a template parameter know. With FullKnowledge the attack's `poison` takes the honest messages;
/// with PartialKnowledge it has no such parameter, so that the attack cannot name them.
template <class K>
concept Knowledge = std::same_as<K, FullKnowledge> || std::same_as<K, PartialKnowledge>;

}  // namespace fltr
