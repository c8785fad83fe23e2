#pragma once

#include <cstddef>
#include <cstdint>

#include <fltr/concepts/population.hpp>
#include <fltr/concepts/sealing.hpp>

namespace fltr::detail {

/// The numbers of the phases of a round: exchanges, the message, exchanges. Without a seal the message is the only
/// phase.
template <class A>
struct SealPhases {
  static constexpr std::size_t message = composition::seal_types<A>::before;
  static constexpr std::size_t count = message + 1 + composition::seal_types<A>::after;

  /// The RoundPhase of a phase, for the population's hook `reports`.
  [[nodiscard]] static constexpr RoundPhase at(std::uint32_t round, std::size_t phase) noexcept {
    if (phase == message) return {round, Phase::message, 0};
    if (phase < message) return {round, Phase::exchange_before, static_cast<std::uint32_t>(phase)};
    return {round, Phase::exchange_after, static_cast<std::uint32_t>(phase - message - 1)};
  }
};

}  // namespace fltr::detail
