#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include <fltr/core/error.hpp>

namespace fltr {

/// Maximises a function of weights on the simplex: weights ≥ 0 with sum 1, all multiples of 1 / steps.
///
/// For two models, all weights are tried. For more models it is a coordinate search. It starts at the best of equal
/// weights and each single model. Then it tries for every pair of models all ways to divide their common weight, until
/// no pair improves the value. The result is a local maximum. It is never worse than a single model.
///
/// Of weights with the same value, those nearest to equal weights win, then those that favour the first models. This is
/// a total order, so that the result does not depend on the order of the trials.
struct SimplexSearch {
  std::uint32_t steps = 100;

  /// The weights with the highest `value_of(weights)`, where `weights` is a span of doubles, one per model. NaN ranks
  /// last.
  template <class Value>
  [[nodiscard]] std::vector<double> best(std::size_t models, Value const& value_of) const {
    require(models > 0, "SimplexSearch", "at least one model", models);
    require(steps > 0 && steps <= most_steps, "SimplexSearch", "1 to 10,000 steps", steps);
    auto const candidate = [&](Shares shares) {
      double const value = value_of(std::span<double const>(weights_of(shares)));
      return Candidate{std::move(shares), std::isnan(value) ? -std::numeric_limits<double>::infinity() : value};
    };
    Candidate found = candidate(equal(models));
    for (std::size_t i = 0; i < models && models > 1; ++i) {
      Shares alone(models);
      alone[i] = steps;
      improve(found, candidate(std::move(alone)));
    }
    for (bool better = models > 1; better;) {
      better = false;
      for (std::size_t i = 0; i < models; ++i)
        for (std::size_t j = i + 1; j < models; ++j) {
          Shares shares = found.shares;
          std::uint32_t const both = shares[i] + shares[j];
          for (shares[j] = 0; shares[j] <= both; ++shares[j]) {
            shares[i] = both - shares[j];
            if (shares != found.shares && improve(found, candidate(shares))) better = true;
          }
        }
      if (models == 2) break;  // all weights were tried
    }
    return weights_of(found.shares);
  }

 private:
  static constexpr std::uint32_t most_steps = 10'000;
  using Shares = std::vector<std::uint32_t>;  // in units of 1 / steps

  struct Candidate {
    Shares shares;
    double value = 0.0;
  };

  [[nodiscard]] Shares equal(std::size_t models) const {
    Shares shares(models, static_cast<std::uint32_t>(steps / models));
    for (std::size_t i = 0; i < steps % models; ++i) ++shares[i];
    return shares;
  }

  [[nodiscard]] std::vector<double> weights_of(Shares const& shares) const {
    std::vector<double> weights;
    weights.reserve(shares.size());
    for (std::uint32_t share : shares) weights.push_back(static_cast<double>(share) / static_cast<double>(steps));
    return weights;
  }

  /// Σ shares_i², which is smallest for equal shares. Integers avoid rounding.
  [[nodiscard]] static std::uint64_t unevenness(Shares const& shares) {
    std::uint64_t sum = 0;
    for (std::uint64_t share : shares) sum += share * share;
    return sum;
  }

  static bool improve(Candidate& found, Candidate next) {
    if (next.value < found.value) return false;
    if (next.value == found.value) {
      auto const old_sum = unevenness(found.shares);
      auto const new_sum = unevenness(next.shares);
      if (new_sum > old_sum || (new_sum == old_sum && !(next.shares > found.shares))) return false;
    }
    found = std::move(next);
    return true;
  }
};

}  // namespace fltr
