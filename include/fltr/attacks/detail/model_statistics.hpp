#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include <fltr/attacks/deviation.hpp>
#include <fltr/concepts/robust_rule.hpp>
#include <fltr/core/lane_sum.hpp>

namespace fltr::detail {

/// Σ a_k b_k of two functions of k, in the lanes of simd::lane_sum.
template <class A, class B>
[[nodiscard]] double model_product(std::size_t n, A const& a, B const& b) {
  std::array<double, simd::lanes> sums{};
  std::size_t k = 0;
  for (; k + simd::lanes <= n; k += simd::lanes)
    for (std::size_t lane = 0; lane < simd::lanes; ++lane) sums[lane] += a(k + lane) * b(k + lane);
  for (std::size_t lane = 0; k + lane < n; ++lane) sums[lane] += a(k + lane) * b(k + lane);
  return simd::lane_sum(sums.data());
}

/// Σ (a_k − b_k)².
template <class A, class B>
[[nodiscard]] double squared_model_distance(std::span<A const> a, std::span<B const> b) {
  auto const difference = [&](std::size_t k) { return static_cast<double>(a[k]) - static_cast<double>(b[k]); };
  return model_product(a.size(), difference, difference);
}

/// ‖v‖₂.
[[nodiscard]] inline double model_length(std::span<double const> v) {
  auto const at = [&](std::size_t k) { return v[k]; };
  return std::sqrt(model_product(v.size(), at, at));
}

/// Adds each row to `sums`, in the order of the rows.
inline void add_models(MessageRows const& rows, std::span<double> sums) {
  for (std::size_t i = 0; i < rows.clients(); ++i) {
    auto const row = rows.row(i);
    for (std::size_t k = 0; k < sums.size(); ++k) sums[k] += static_cast<double>(row[k]);
  }
}

/// The mean of each parameter over the rows. Requires a row.
[[nodiscard]] inline std::vector<double> model_mean(MessageRows const& rows) {
  std::vector<double> mean(rows.parameters());
  add_models(rows, mean);
  for (double& m : mean) m /= static_cast<double>(rows.clients());
  return mean;
}

/// The standard deviation of each parameter over the rows; 0 for a single row.
[[nodiscard]] inline std::vector<double> model_deviation(MessageRows const& rows, std::span<double const> mean,
                                                         Deviation deviation) {
  std::vector<double> out(rows.parameters());
  for (std::size_t i = 0; i < rows.clients(); ++i) {
    auto const row = rows.row(i);
    for (std::size_t k = 0; k < out.size(); ++k) {
      double const difference = static_cast<double>(row[k]) - mean[k];
      out[k] += difference * difference;
    }
  }
  std::size_t const n = rows.clients();
  double const divisor = static_cast<double>(deviation == Deviation::sample && n > 1 ? n - 1 : n);
  for (double& v : out) v = std::sqrt(v / divisor);
  return out;
}

/// The squared distances of all pairs of rows, an n × n matrix. Each pair is computed once.
[[nodiscard]] inline std::vector<double> squared_model_distances(MessageRows const& rows) {
  std::size_t const n = rows.clients();
  std::vector<double> out(n * n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = i + 1; j < n; ++j)
      out[i * n + j] = out[j * n + i] = squared_model_distance(rows.row(i), rows.row(j));
  return out;
}

}  // namespace fltr::detail
