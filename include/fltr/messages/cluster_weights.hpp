#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <fltr/messages/local_weights.hpp>

namespace fltr {

/// The message of Clustered: the weights of one model after local work, and the number of this model.
///
/// The number is sent as it is, and a privatizer changes only the values. Clients choose their model by their clicks,
/// so with two or more models the number tells the server something about them: see `discloses`.
struct ClusterWeights : LocalWeights {
  static constexpr std::string_view wire_name = "cluster_weights";

  std::uint32_t cluster = 0;

  /// Whether the message may be aggregated: a model of the ranker, and weights that fit this model.
  template <class R>
  requires requires(R const& r, std::size_t i) { r.model(i); }
  [[nodiscard]] bool fits(R const& ranker, std::uint32_t asked) const {
    return cluster < ranker.size() && LocalWeights::fits(ranker.model(cluster), asked);
  }

  /// The number of values of a message for this ranker.
  template <class R>
  [[nodiscard]] static std::size_t dimension(R const& ranker) {
    return LocalWeights::dimension(ranker.model(0));
  }

  /// What the message tells the server although a privatizer changed its values; empty for a single model.
  template <class R>
  [[nodiscard]] static std::string_view discloses(R const& ranker) {
    return ranker.size() > 1 ? "the message names the client's cluster, which the client chose by its clicks"
                             : std::string_view{};
  }

  auto fields(auto&& visit) { return visit(cluster, values, interactions); }
};

}  // namespace fltr
