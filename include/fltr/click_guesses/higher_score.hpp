#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <fltr/click_guesses/detail/score_changes.hpp>
#include <fltr/concepts/click_guess.hpp>

namespace fltr {

/// Guesses a click where the received weights give the document a higher score than the broadcast ranker:
/// f'(d) > f(d) (pham2022).
///
/// This and the other two guesses from scores compare the two scores of the same document. The code that was published
/// with the paper compares scores that were sorted again, so that its figures are lower.
struct HigherScore {
  void guess(auto const& observed, std::span<std::uint8_t> clicks, Stream&) const {
    detail::for_each_list("HigherScore", observed, clicks,
                          [](detail::ListScores const& scores, std::span<std::uint8_t> of_list) {
                            for (std::size_t i = 0; i < of_list.size(); ++i)
                              of_list[i] = scores.change(i) > 0.0 ? 1 : 0;
                          });
  }
};
static_assert(ClickGuess<HigherScore>);

}  // namespace fltr
