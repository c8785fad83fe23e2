#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <fltr/concepts/click_guess.hpp>

namespace fltr {

/// Guesses a click on the first document of every list. A baseline that uses no message: users click there most often.
struct FirstPosition {
  void guess(auto const& observed, std::span<std::uint8_t> clicks, Stream&) const {
    std::size_t i = 0;
    for (auto const& list : observed.lists)
      for (std::size_t rank = 0; rank < list.size(); ++rank) clicks[i++] = rank == 0 ? 1 : 0;
  }
};
static_assert(ClickGuess<FirstPosition>);

}  // namespace fltr
