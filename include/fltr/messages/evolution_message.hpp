#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

namespace fltr {

/// The message of evolution strategies: the seed of the perturbation, from which the server rebuilds it, and what the
/// metric said of each interaction, as a share of the most that it can say. One number per interaction, since each is
/// privatized by itself. With antithetic perturbations the first half of the numbers belongs to +noise, the rest to
/// −noise.
///
/// Without a privatizer the number of measurements tells whether the client has data; RandomizedMetric hides it. In a
/// simulation the seed is derived from the run's seed, which is public: a server that knows the run's seed, or tries
/// likely ones, can compute all noise of all clients. A real client draws it under its own key (see client_message).
struct EvolutionMessage {
  static constexpr std::string_view wire_name = "evolution";

  std::uint64_t seed = 0;
  std::vector<float> metrics;

  /// Whether a server may use it: no more numbers than interactions were asked for, each within [0, 1] (so none is
  /// NaN).
  template <class R>
  [[nodiscard]] bool fits(R const&, std::uint32_t asked) const {
    return metrics.size() <= asked && std::ranges::all_of(metrics, [](float m) { return m >= 0.0F && m <= 1.0F; });
  }

  /// As many measurements as an ordinary client sends; those that are missing say 0.
  void complete(std::uint32_t asked) { metrics.resize(asked, 0.0F); }

  auto fields(auto&& visit) { return visit(seed, metrics); }
};

/// How many of n interactions are made with +noise; the others with −noise.
[[nodiscard]] constexpr std::size_t positive_interactions(std::size_t n, bool antithetic) noexcept {
  return antithetic ? (n + 1) / 2 : n;
}

}  // namespace fltr
