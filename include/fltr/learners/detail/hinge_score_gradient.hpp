#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <fltr/core/lane_sum.hpp>

namespace fltr::detail {

/// Computes h = Σ_{d' ≠ d} max(0, 1 − (s_d − s_{d'})) of a document d and the negative derivatives of h with respect to
/// the scores: −1 for every d' within the margin and their number for d, each times `factor(1 + h)`. 1 + h is an upper
/// bound of the rank of d. Returns h. The sum is in float: the margin of 1 is not exact for scores beyond a million.
template <class Factor>
double hinge_score_gradient(std::span<float const> scores, std::size_t document, Factor const& factor,
                            std::vector<float>& score_gradient) {
  score_gradient.resize(scores.size());
  float const own = scores[document] - 1.0F;
  std::array<float, simd::lanes> hinges{};
  std::array<std::uint32_t, simd::lanes> active{};
  auto const look = [&](std::size_t i, std::size_t lane) {
    float const gap = scores[i] - own;
    bool const within = gap > 0.0F;
    hinges[lane] += within ? gap : 0.0F;
    active[lane] += within ? 1 : 0;
    score_gradient[i] = within ? -1.0F : 0.0F;
  };
  std::size_t i = 0;
  for (; i + simd::lanes <= scores.size(); i += simd::lanes)
    for (std::size_t lane = 0; lane < simd::lanes; ++lane) look(i + lane, lane);
  for (std::size_t lane = 0; i + lane < scores.size(); ++lane) look(i + lane, lane);
  // The loop included the document itself.
  float const itself = scores[document] - own;
  std::uint32_t others = 0;
  for (std::uint32_t const n : active) others += n;
  others -= itself > 0.0F ? 1 : 0;
  double const h = static_cast<double>(simd::lane_sum(hinges.data()) - std::max(itself, 0.0F));
  auto const scale = static_cast<float>(factor(1.0 + h));
  for (float& c : score_gradient) c *= scale;
  score_gradient[document] = scale * static_cast<float>(others);
  return h;
}

}  // namespace fltr::detail
