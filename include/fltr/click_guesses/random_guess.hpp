#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include <fltr/concepts/click_guess.hpp>

namespace fltr {

/// Guesses clicks on random documents of every list (pham2022: 3 or 4). A baseline that uses no message.
struct RandomGuess {
  std::size_t documents = 3;  ///< guessed clicks in a list; all documents of a shorter list

  void guess(auto const& observed, std::span<std::uint8_t> clicks, Stream& stream) const {
    std::ranges::fill(clicks, std::uint8_t{0});
    std::size_t first = 0;
    for (auto const& list : observed.lists) {
      // Selection sampling (Knuth, algorithm S): every subset has the same probability.
      std::size_t wanted = std::min(documents, list.size());
      for (std::size_t rank = 0; rank < list.size(); ++rank) {
        if (stream.below64(list.size() - rank) >= wanted) continue;
        clicks[first + rank] = 1;
        --wanted;
      }
      first += list.size();
    }
  }
};
static_assert(ClickGuess<RandomGuess>);

}  // namespace fltr
