#pragma once

#include <cstdint>

#include <fltr/concepts/unlearner.hpp>

namespace fltr {

/// Exact unlearning: all rounds run again from the start model, without the forgotten clients. Clients keep nothing.
///
/// The result does not depend on the data of the forgotten clients: with other data it has the same bits. The yardstick
/// for every other unlearner, in quality and in cost (thesis of Wang 2024, section 6.3: 9H-0M).
///
/// The same clients are asked as in the training. A population that chooses them by the data of all clients, such as
/// SampledByQuantity, is an exception: which others were asked depends on the amount of the forgotten clients' data.
struct Retrain {
  [[nodiscard]] constexpr bool keeps(std::uint32_t) const noexcept { return false; }

  template <class Replay>
  void unlearn(Replay& replay) const {
    for (std::uint32_t round = 1; round <= replay.rounds(); ++round)
      replay.step(round, 0, [](auto const&...) { return Correction::corrected; });
  }
};
static_assert(Unlearner<Retrain>);

}  // namespace fltr
