#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <fltr/click_guesses/detail/score_changes.hpp>
#include <fltr/concepts/click_guess.hpp>

namespace fltr {

/// Guesses a click where the distance to many other documents of the list rose: f'(d) − f'(r) > f(d) − f(r) for more
/// than `others` documents r (pham2022). In a list of at most `others` + 1 documents it guesses no click.
struct HigherDistance {
  std::size_t others = 5;

  void guess(auto const& observed, std::span<std::uint8_t> clicks, Stream&) const {
    detail::for_each_list("HigherDistance", observed, clicks,
                          [&](detail::ListScores const& scores, std::span<std::uint8_t> of_list) {
                            for (std::size_t i = 0; i < of_list.size(); ++i) {
                              std::size_t passed = 0;
                              for (std::size_t r = 0; r < of_list.size(); ++r)
                                passed += scores.change(i) > scores.change(r) ? 1U : 0U;
                              of_list[i] = passed > others ? 1 : 0;
                            }
                          });
  }
};
static_assert(ClickGuess<HigherDistance>);

}  // namespace fltr
