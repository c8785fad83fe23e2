#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include <fltr/click_guesses/detail/score_changes.hpp>
#include <fltr/concepts/click_guess.hpp>
#include <fltr/core/exponential.hpp>
#include <fltr/core/logarithm.hpp>

namespace fltr {

/// Guesses a click where the probability of the document among the displayed documents rose:
/// e^f'(d) / Σ e^f'(r) > e^f(d) / Σ e^f(r), both sums over the list (pham2022).
struct HigherProbability {
  void guess(auto const& observed, std::span<std::uint8_t> clicks, Stream&) const {
    detail::for_each_list("HigherProbability", observed, clicks,
                          [](detail::ListScores const& scores, std::span<std::uint8_t> of_list) {
                            // The change of the normalising sum in logarithms: finite for all finite scores.
                            double const threshold = log_sum(scores.after) - log_sum(scores.before);
                            for (std::size_t i = 0; i < of_list.size(); ++i)
                              of_list[i] = scores.change(i) > threshold ? 1 : 0;
                          });
  }

 private:
  /// ln Σ e^score.
  [[nodiscard]] static double log_sum(std::span<float const> scores) {
    if (scores.empty()) return 0.0;
    auto const highest = static_cast<double>(*std::ranges::max_element(scores));
    double sum = 0.0;
    for (float const score : scores) sum += math::exp(static_cast<double>(score) - highest);
    return highest + math::log(sum);
  }
};
static_assert(ClickGuess<HigherProbability>);

}  // namespace fltr
