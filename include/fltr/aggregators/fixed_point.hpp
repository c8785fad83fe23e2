#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>
#include <vector>

#include <fltr/concepts/sealable.hpp>
#include <fltr/core/error.hpp>
#include <fltr/core/lane_sum.hpp>

namespace fltr {

/// How a sealed sum writes numbers: as whole steps modulo 2^32 or 2^64. Adding whole numbers has no rounding error, so
/// that the sum does not depend on the order of the clients.
struct FixedPoint {
  double step = 0x1p-32;  ///< a power of two
  /// Each client clamps its steps to ±(2^(bits−1) − 1)/n, where n clients are asked: the sum cannot overflow. Without it
  /// single numbers may wrap, and the sum is right if it is below 2^(bits−1) steps. Noise needs that, because clamped
  /// noise does not add up to the noise of the sum.
  bool clamp = true;
  /// Bound on the L2 norm of the weighted mean that the server computes from the sum.
  double clip = std::numeric_limits<double>::infinity();

  auto fields(auto&& visit) { return visit(step, clamp, clip); }

  /// The contribution as words, with the weight as the last one. `clients`: n.
  template <std::unsigned_integral Word>
  [[nodiscard]] std::vector<Word> words(Contribution const& from, std::uint64_t clients) const {
    check();
    std::vector<Word> out(from.values.size() + 1);
    std::uint64_t const limit = largest<Word>(clients);
    std::uint64_t const weight = clamp ? std::min<std::uint64_t>(from.weight, limit) : from.weight;
    double const most = clamp && weight > 0 ? static_cast<double>(std::min(limit / weight, std::uint64_t{1} << 53U))
                                            : 0x1p53;  // whole numbers up to here are exact
    for (std::size_t i = 0; i < from.values.size(); ++i) {
      double const steps = std::clamp(from.values[i] / step, -most, most);
      auto const whole = static_cast<std::uint64_t>(static_cast<std::int64_t>(std::llrint(steps)));
      out[i] = static_cast<Word>(whole * weight);
    }
    out.back() = static_cast<Word>(weight);
    return out;
  }

  /// The sum of the words of `count` clients as numbers.
  template <std::unsigned_integral Word>
  [[nodiscard]] ContributionSum sum(std::span<Word const> words, std::uint64_t count) const {
    check();
    ContributionSum out;
    out.count = count;
    if (words.empty()) return out;
    out.weight = static_cast<double>(words.back());
    out.values.resize(words.size() - 1);
    for (std::size_t i = 0; i < out.values.size(); ++i)
      out.values[i] = static_cast<double>(static_cast<std::make_signed_t<Word>>(words[i])) * step;
    if (clip < std::numeric_limits<double>::infinity() && out.weight > 0.0) {
      std::vector<double> lanes(simd::lanes);
      for (std::size_t i = 0; i < out.values.size(); ++i) lanes[i % simd::lanes] += out.values[i] * out.values[i];
      double const norm = std::sqrt(simd::lane_sum(lanes.data())) / out.weight;
      if (norm > clip)
        for (double& v : out.values) v *= clip / norm;
    }
    return out;
  }

  /// The most steps of a client if the sum of `clients` of them must not overflow.
  template <std::unsigned_integral Word>
  [[nodiscard]] static std::uint64_t largest(std::uint64_t clients) {
    require(clients >= 1, "FixedPoint", "at least one client", clients);
    return static_cast<std::uint64_t>(std::numeric_limits<std::make_signed_t<Word>>::max()) / clients;
  }

 private:
  void check() const {
    require(step > 0.0 && std::isfinite(step) && std::ldexp(1.0, std::ilogb(step)) == step && step >= 0x1p-100 &&
                step <= 0x1p100,
            "FixedPoint", "a step that is a power of two from 2^-100 to 2^100", step);
    require(clip > 0.0, "FixedPoint", "a clip > 0", clip);
  }
};

}  // namespace fltr
