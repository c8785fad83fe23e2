#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include <fltr/core/random.hpp>

namespace fltr::detail {

/// The squared Euclidean distance, in eight partial sums, in an order that does not depend on the compiler.
[[nodiscard]] inline float squared_distance(float const* a, float const* b, std::size_t size) noexcept {
  std::array<float, 8> sum{};
  std::size_t k = 0;
  for (; k + 8 <= size; k += 8)
    for (std::size_t lane = 0; lane < 8; ++lane) {
      float const off = a[k + lane] - b[k + lane];
      sum[lane] += off * off;
    }
  for (; k < size; ++k) sum[0] += (a[k] - b[k]) * (a[k] - b[k]);
  return ((sum[0] + sum[4]) + (sum[1] + sum[5])) + ((sum[2] + sum[6]) + (sum[3] + sum[7]));
}

struct NearestCenter {
  std::size_t center = 0;
  float distance = std::numeric_limits<float>::infinity();
};

/// The center that is nearest to a row. Of several, the first.
[[nodiscard]] inline NearestCenter nearest_center(std::span<float const> row, std::span<float const> centers) noexcept {
  NearestCenter out;
  for (std::size_t c = 0; c * row.size() < centers.size(); ++c) {
    float const distance = squared_distance(row.data(), centers.data() + c * row.size(), row.size());
    if (distance < out.distance) out = {c, distance};
  }
  return out;
}

/// The first center is a row, drawn uniformly. Each further center is a row, drawn with a probability proportional to
/// its squared distance from the nearest center so far (k-means++).
[[nodiscard]] inline std::vector<float> start_centers(std::span<float const> rows, std::size_t features,
                                                      std::size_t count, Stream& stream) {
  std::size_t const n = rows.size() / features;
  std::vector<double> weight(n, 1.0);
  std::vector<float> centers;
  for (std::size_t c = 0; c < count; ++c) {
    double total = 0.0;
    for (double const w : weight) total += w;
    std::size_t const i =
        total > 0.0 ? stream.categorical(weight) : stream.below(static_cast<std::uint32_t>(n));  // all rows are centers
    auto const row = rows.subspan(i * features, features);
    centers.insert(centers.end(), row.begin(), row.end());
    for (std::size_t j = 0; j < n; ++j) {
      double const d = static_cast<double>(squared_distance(rows.data() + j * features, row.data(), features));
      weight[j] = c == 0 ? d : std::min(weight[j], d);
    }
  }
  return centers;
}

/// The centers of `count` clusters of rows: k-means++ and then steps of Lloyd's algorithm, until no row changes its
/// cluster. A cluster that loses all rows keeps its center. Requires at least one row and one feature.
[[nodiscard]] inline std::vector<float> k_means(std::span<float const> rows, std::size_t features, std::size_t count,
                                                std::size_t most_steps, Stream& stream) {
  std::vector<float> centers = start_centers(rows, features, count, stream);
  std::size_t const n = rows.size() / features;
  std::vector<std::size_t> cluster(n, count);
  for (std::size_t step = 0; step < most_steps; ++step) {
    std::vector<double> sums(count * features);
    std::vector<std::size_t> sizes(count);
    bool changed = false;
    for (std::size_t i = 0; i < n; ++i) {
      auto const row = rows.subspan(i * features, features);
      std::size_t const now = nearest_center(row, centers).center;
      changed = changed || now != cluster[i];
      cluster[i] = now;
      ++sizes[now];
      for (std::size_t k = 0; k < features; ++k) sums[now * features + k] += static_cast<double>(row[k]);
    }
    if (!changed) break;
    for (std::size_t c = 0; c < count; ++c)
      for (std::size_t k = 0; k < features && sizes[c] > 0; ++k)
        centers[c * features + k] = static_cast<float>(sums[c * features + k] / static_cast<double>(sizes[c]));
  }
  return centers;
}

}  // namespace fltr::detail
