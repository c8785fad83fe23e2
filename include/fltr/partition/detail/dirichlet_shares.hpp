#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include <fltr/core/error.hpp>
#include <fltr/core/exponential.hpp>
#include <fltr/core/logarithm.hpp>
#include <fltr/core/random.hpp>

namespace fltr::detail {

/// Requires a concentration at which every share can be computed.
inline void require_concentration(std::string_view who, double alpha) {
  require(alpha >= 1e-6 && alpha <= 1e6, who, "alpha in [1e-6, 1e6]", alpha);
}

/// A draw of the symmetric Dirichlet distribution with concentration α: `count` shares with the sum 1. Gamma numbers of
/// a small shape underflow to 0, so that all of them could be 0. Their logarithms do not: log Γ(α) has the distribution
/// of log Γ(α + 1) + log(U) / α (Marsaglia and Tsang 2000).
[[nodiscard]] inline std::vector<double> dirichlet_shares(std::size_t count, double alpha, Stream& stream) {
  std::vector<double> shares(count);
  for (double& share : shares)
    share = alpha < 1.0 ? math::log(stream.gamma(alpha + 1.0)) + math::log(stream.uniform()) / alpha
                        : math::log(stream.gamma(alpha));
  double const largest = *std::ranges::max_element(shares);
  double sum = 0.0;
  for (double& share : shares) {
    share = math::exp(share - largest);
    sum += share;
  }
  for (double& share : shares) share /= sum;
  return shares;
}

/// The ends of consecutive parts of `size` units by shares with the sum 1: ⌊size · (share 0 + … + share i)⌋. The last
/// part with a share above 0 ends at `size`, so that rounding gives no unit to a part without a share.
[[nodiscard]] inline std::vector<std::size_t> cut_by_shares(std::size_t size, std::span<double const> shares) {
  std::vector<std::size_t> ends(shares.size(), size);
  std::size_t last = shares.size() - 1;
  while (last > 0 && shares[last] == 0.0) --last;
  double sum = 0.0;
  for (std::size_t i = 0; i < last; ++i) {
    sum += shares[i];
    ends[i] = std::min(size, static_cast<std::size_t>(sum * static_cast<double>(size)));
  }
  return ends;
}

}  // namespace fltr::detail
