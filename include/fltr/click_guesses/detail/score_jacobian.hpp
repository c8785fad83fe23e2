#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <fltr/click_guesses/linear_algebra.hpp>
#include <fltr/concepts/click_guess.hpp>
#include <fltr/concepts/ranker.hpp>
#include <fltr/messages/shared_parameters.hpp>

namespace fltr::detail {

/// One column for each displayed document: ∂score / ∂shared parameters at the broadcast ranker. For a linear ranker
/// this is the vector of features. A gradient step changes the weights by a linear combination of these columns. The
/// target's documents come first, then those of the other lists. With `with_weights`, the last column is the broadcast
/// weights.
template <DifferentiableRanker R>
[[nodiscard]] ColumnMatrix score_jacobian(ObservedUpdate<R> const& observed, bool with_weights) {
  auto const shared = shared_parameters(observed.global);
  auto const all = observed.global.parameters();
  auto const offset = static_cast<std::size_t>(shared.data() - all.data());
  std::size_t columns = observed.document_count() + (with_weights ? 1 : 0);
  for (auto const& list : observed.other_lists) columns += list.size();
  auto out = ColumnMatrix::from_shape({shared.size(), columns});

  std::vector<float> gradient(all.size());
  std::vector<float> one_document;
  double* column = out.data();
  for (auto const lists : {observed.lists, observed.other_lists}) {
    for (auto const& list : lists) {
      for (std::size_t rank = 0; rank < list.size(); ++rank) {
        one_document.assign(list.size(), 0.0F);
        one_document[rank] = 1.0F;
        std::ranges::fill(gradient, 0.0F);
        observed.global.backward(list.documents(), one_document, gradient);
        column = std::copy_n(gradient.data() + offset, shared.size(), column);
      }
    }
  }
  if (with_weights) std::ranges::copy(shared, column);
  return out;
}

/// Guesses a click where the coefficient is above `threshold` times the largest magnitude of all coefficients of
/// documents. If all are 0, there is no click.
inline void clicks_of_coefficients(std::span<double const> coefficients, double threshold,
                                   std::span<std::uint8_t> clicks) {
  double largest = 0.0;
  for (double const c : coefficients) largest = std::max(largest, std::abs(c));
  for (std::size_t i = 0; i < clicks.size(); ++i)
    clicks[i] = coefficients[i] > threshold * largest && coefficients[i] > 0.0 ? 1 : 0;
}

}  // namespace fltr::detail
