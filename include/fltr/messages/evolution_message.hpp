#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include <fltr/core/compiler.hpp>

namespace fltr {

/// The message of evolution strategies: the seed of the perturbation, from which the server computes the perturbation
/// again, and the metric of each interaction, divided by the largest possible value. There is one number per
/// interaction, because each is privatized separately. With antithetic perturbations the first half of the numbers
/// belongs to +noise, the rest to −noise.
///
/// Without a privatizer the number of measurements reveals whether the client has data; RandomizedMetric hides it. In a
/// simulation the seed is derived from the run's seed, which is public: a server that knows or guesses the run's seed
/// can compute the noise of all clients. A real client draws the seed with its own key (see client_message).
struct EvolutionMessage {
  static constexpr std::string_view wire_name = "evolution";

  std::uint64_t seed = 0;
  std::vector<float> metrics;

  /// Whether the message may be aggregated: no more numbers than interactions were asked for, each in [0, 1] (so that
  /// none is NaN).
  template <class R>
  [[nodiscard]] bool fits(R const&, std::uint32_t asked) const {
    return metrics.size() <= asked && std::ranges::all_of(metrics, [](float m) { return m >= 0.0F && m <= 1.0F; });
  }

  /// Resizes the list to the number of interactions that were asked for. Missing measurements are 0.
  void complete(std::uint32_t asked) { metrics.resize(asked, 0.0F); }

  auto fields(auto&& visit) { return visit(seed, metrics); }
};

/// The number of interactions, of n, that use +noise; the others use −noise.
[[nodiscard]] constexpr std::size_t positive_interactions(std::size_t n, bool antithetic) noexcept {
  return antithetic ? (n + 1) / 2 : n;
}

}  // namespace fltr
