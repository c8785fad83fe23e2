#pragma once

#include <cstdint>
#include <span>

#include <fltr/accounting/client_account.hpp>
#include <fltr/concepts/privatizer.hpp>
#include <fltr/core/chacha20.hpp>
#include <fltr/core/random.hpp>
#include <fltr/data/client.hpp>

namespace fltr {

/// The facts about a round that a client receives. The client itself adds `key`.
struct RoundInfo {
  std::uint64_t seed = 1;          ///< of the simulation; public
  std::uint32_t number = 1;        ///< of the round, counting from 1
  std::uint64_t participants = 1;  ///< clients that are asked
  bool replay = false;             ///< whether the round is run again in order to forget clients
  OptionalKey key{};               ///< of this message, at a real client; replaces the seed
  std::uint64_t branch = 0;        ///< of the training's history, see PrivacyContext
  std::uint64_t run = 0;           ///< a later run has a larger number; real clients refuse earlier ones
  std::uint64_t attempt = 0;       ///< at this round

  [[nodiscard]] Streams streams(ClientId client) const noexcept { return {seed, number, client, replay, key}; }
  [[nodiscard]] RoundId id() const noexcept { return {run, number, attempt}; }
  [[nodiscard]] PrivacyContext context(ClientId client, std::uint32_t asked,
                                       std::span<float const> broadcast) const noexcept {
    return {participants, asked, streams(client), broadcast, branch};
  }
};

}  // namespace fltr
