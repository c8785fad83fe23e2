#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include <fltr/core/logarithm.hpp>
#include <fltr/core/random.hpp>

namespace fltr::detail {

/// Two clusters of numbers.
struct TwoClusters {
  std::size_t low = 0;      ///< the number of values in the lower cluster; the others are in the upper one
  double within_one = 0.0;  ///< Σ (x − mean)², all values in one cluster
  double within_two = 0.0;  ///< the same with the mean of each value's own cluster
};

/// The best division of sorted numbers into two clusters (2-means). In one dimension clusters are intervals, so all
/// n − 1 cuts are tried: the result is exact and needs no start. The best cut is the one with the largest squares
/// between the clusters, n₁ n₂ / n (mean₂ − mean₁)²; of several, the first. Requires at least two values.
[[nodiscard]] inline TwoClusters two_clusters(std::span<double const> sorted) {
  auto const squares = [](std::span<double const> part) {
    double sum = 0.0;
    for (double const x : part) sum += x;
    double const mean = sum / static_cast<double>(part.size());
    double out = 0.0;
    for (double const x : part) out += (x - mean) * (x - mean);
    return out;
  };
  double total = 0.0;
  for (double const x : sorted) total += x;
  TwoClusters out{0, squares(sorted), 0.0};
  double best = -1.0;
  double sum = 0.0;
  for (std::size_t cut = 1; cut < sorted.size(); ++cut) {
    sum += sorted[cut - 1];
    auto const low = static_cast<double>(cut);
    auto const high = static_cast<double>(sorted.size() - cut);
    double const off = (total - sum) / high - sum / low;
    double const between = low * high * off * off;
    if (between > best) {
      best = between;
      out.low = cut;
    }
  }
  out.within_two = squares(sorted.first(out.low)) + squares(sorted.subspan(out.low));
  return out;
}

/// Whether numbers form more than one cluster, by the gap statistic (Tibshirani, Walther and Hastie 2001).
struct GapStatistic {
  double gain = 0.0;       ///< Gap(2) − Gap(1)
  double deviation = 0.0;  ///< s'₂ = sd(log V₂*) √(1 + 1 / B), the population deviation over the B references
};

/// Gap(k) = mean over references of log V_k* − log V_k. V_k are the squares within k clusters, after the values were
/// moved to [0, 1] linearly. A reference has as many values, uniform on [0, 1]. Equal values have no gain. Requires at
/// least three values, in rising order, and at least two references.
[[nodiscard]] inline GapStatistic gap_of_two_clusters(std::span<double const> sorted, std::size_t references,
                                                      Stream& stream) {
  double const least = sorted.front();
  double const range = sorted.back() - least;
  if (!(range > 0.0)) return {-std::numeric_limits<double>::infinity(), 0.0};
  std::vector<double> values;
  for (double const x : sorted) values.push_back((x - least) / range);
  TwoClusters const seen = two_clusters(values);
  std::vector<double> logs;
  double gain = 0.0;
  for (std::size_t b = 0; b < references; ++b) {
    stream.uniforms(values);
    std::ranges::sort(values);
    TwoClusters const drawn = two_clusters(values);
    logs.push_back(math::log(drawn.within_two));
    gain += logs.back() - math::log(drawn.within_one);
  }
  auto const count = static_cast<double>(references);
  gain /= count;
  double mean = 0.0;
  for (double const x : logs) mean += x / count;
  double squares = 0.0;
  for (double const x : logs) squares += (x - mean) * (x - mean);
  // Values that are two groups of equal numbers have V₂ = 0 and an infinite gain.
  gain = seen.within_two > 0.0 ? gain - (math::log(seen.within_two) - math::log(seen.within_one))
                               : std::numeric_limits<double>::infinity();
  return {gain, std::sqrt(squares / count * (1.0 + 1.0 / count))};
}

}  // namespace fltr::detail
