#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <fltr/core/normal_noise.hpp>
#include <fltr/messages/evolution_message.hpp>

namespace fltr::detail {

/// Σ_c weight_c · noise_c. The noise of a client is recomputed from the seed in its message, so that no message is
/// kept.
struct NoiseSum {
  static constexpr bool linear = true;

  std::vector<double> values;
  std::uint64_t count = 0;  // of messages
  bool antithetic = true;

  /// The weight of a message is ½ (m⁺ − m⁻) with antithetic perturbations, else m. m⁺, m⁻ and m are means of
  /// measurements.
  void add(EvolutionMessage const& message) {
    ++count;
    std::size_t const n = message.metrics.size();
    std::size_t const positive = positive_interactions(n, antithetic);
    double plus = 0.0;
    double minus = 0.0;
    for (std::size_t i = 0; i < n; ++i) (i < positive ? plus : minus) += static_cast<double>(message.metrics[i]);
    double weight = positive > 0 ? plus / static_cast<double>(positive) : 0.0;
    if (antithetic) weight = n > positive ? 0.5 * (weight - minus / static_cast<double>(n - positive)) : 0.0;
    if (weight == 0.0) return;
    noise_.resize(values.size());
    NormalNoise(message.seed).fill(noise_);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] += weight * static_cast<double>(noise_[i]);
  }

  void merge(NoiseSum const& other) {
    for (std::size_t i = 0; i < values.size(); ++i) values[i] += other.values[i];
    count += other.count;
  }

  auto fields(auto&& visit) { return visit(values, count, antithetic); }

 private:
  std::vector<float> noise_;  // of one message; a member so that its memory is reused
};

}  // namespace fltr::detail
