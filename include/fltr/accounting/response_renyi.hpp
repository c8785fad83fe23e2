#pragma once

#include <algorithm>
#include <cstddef>

#include <fltr/core/error.hpp>
#include <fltr/core/exponential.hpp>
#include <fltr/core/logarithm.hpp>

namespace fltr {

/// ε of randomised response with n answers: the true one is kept with probability `keep`, otherwise each of the others
/// is equally likely. ε = ln(keep (n − 1) / (1 − keep)).
[[nodiscard]] inline double response_epsilon(double keep, std::size_t answers) {
  return math::log(keep * static_cast<double>(answers - 1) / (1.0 - keep));
}

/// The Rényi divergence of order α > 1 between the answers to two different truths, exact up to rounding errors, which
/// are added. With p = `keep` and q = (1 − p) / (n − 1):
///
///     (α − 1) D = ln [p^α q^(1−α) + q^α p^(1−α) + (n − 2) q]
[[nodiscard]] inline double response_renyi(double order, double keep, std::size_t answers) {
  require(answers >= 2 && keep >= 1.0 / static_cast<double>(answers) && keep < 1.0, "response_renyi",
          "a keep from 1/answers to below 1", keep);
  double const epsilon = response_epsilon(keep, answers);
  double const limit = std::min(epsilon, order * epsilon * epsilon / 2.0);
  double const q = (1.0 - keep) / static_cast<double>(answers - 1);
  // p^α q^(1−α) = q e^(αε) and q^α p^(1−α) = p e^(−αε). Both probabilities sum to 1 with (n − 2) q.
  double const up = order * epsilon;
  double const log_sum =
      up > 1.0 ? up + math::log(q) +
                     math::log1p((keep * math::exp(-up) + static_cast<double>(answers - 2) * q) / q * math::exp(-up))
               : math::log1p(q * math::expm1(up) + keep * math::expm1(-up));
  double const rounding = 0x1p-48 * (up + 0x1p-4);
  return std::max(0.0, std::min(limit, (log_sum + rounding) / (order - 1.0)));
}

}  // namespace fltr
