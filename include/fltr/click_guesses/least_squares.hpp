#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <fltr/click_guesses/detail/score_changes.hpp>
#include <fltr/click_guesses/detail/score_jacobian.hpp>
#include <fltr/click_guesses/linear_algebra.hpp>
#include <fltr/concepts/click_guess.hpp>
#include <fltr/core/error.hpp>

namespace fltr {

/// Guesses clicks by regression (pham2022 section 4.1). One local step changes the weights by
/// η Σ λ_d ∂f(d)/∂θ over the displayed documents, where λ_d is positive for a clicked document and negative for the
/// others. For a linear ranker ∂f(d)/∂θ is the vector of features of d. So the least squares of the update on these
/// vectors, without an intercept, estimate η λ_d, and a positive coefficient means a click.
///
/// - Several local steps: one regression on the documents of all lists, at the broadcast ranker. It is exact for a
///   linear ranker and no clip; for a neural ranker the lists after the first are approximated to first order.
/// - A sum of messages: the update is the mean. `other_lists`, if known, are further columns.
/// - More documents than parameters, equal documents or a zero update: the solution of least norm.
///
/// Which coefficients are positive can depend on the BLAS and on the processor where a coefficient is near the
/// threshold; see least_squares (click_guesses/linear_algebra.hpp).
struct LeastSquares {
  bool absorbs_clip = false;     ///< adds θ as a column: a clip changes the update by a multiple of θ
  double threshold = 1e-5;       ///< of a positive coefficient, relative to the largest magnitude; the paper has 0
  double rank_tolerance = 1e-6;  ///< see least_squares (click_guesses/linear_algebra.hpp)

  void guess(auto const& observed, std::span<std::uint8_t> clicks, Stream&) const {
    auto const x = coefficients(observed, clicks);
    detail::clicks_of_coefficients(std::span(x).first(x.size() - (absorbs_clip ? 1 : 0)), threshold, clicks);
  }

 private:
  [[nodiscard]] std::vector<double> coefficients(auto const& observed, std::span<std::uint8_t> clicks) const {
    require(threshold >= 0.0 && threshold < 1.0, "LeastSquares", "a threshold in [0, 1)", threshold);
    detail::require_sizes("LeastSquares", observed, clicks);
    return least_squares(detail::score_jacobian(observed, absorbs_clip), observed.update, rank_tolerance);
  }
};
static_assert(ClickGuess<LeastSquares>);

}  // namespace fltr
