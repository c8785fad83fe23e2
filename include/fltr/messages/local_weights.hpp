#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include <fltr/messages/shared_parameters.hpp>

namespace fltr {

/// The message of gradient learners: the weights after local work (not their difference to the global model, because
/// clipping and noise act on the weights), and the number of interactions. An aggregator that needs the difference
/// subtracts the global model.
///
/// `interactions` is not hidden. A client without data sends 0. Without a privatizer the message therefore reveals
/// whether its client has data. Privatizers with a `loss` send the number that was asked for.
struct LocalWeights {
  static constexpr std::string_view wire_name = "local_weights";

  std::vector<float> values;
  std::uint32_t interactions = 0;

  /// Whether the message may be aggregated: as many values as the ranker has shared parameters, all finite, and no more
  /// interactions than were asked for.
  template <class R>
  [[nodiscard]] bool fits(R const& ranker, std::uint32_t asked) const {
    return values.size() == shared_parameters(ranker).size() && interactions <= asked && finite();
  }

  /// The number of values of a message for this ranker.
  template <class R>
  [[nodiscard]] static std::size_t dimension(R const& ranker) {
    return shared_parameters(ranker).size();
  }

  /// The weight of the message in a sum.
  [[nodiscard]] double weight() const noexcept { return static_cast<double>(interactions); }

  /// Sets `interactions` to the number that was asked for.
  void complete(std::uint32_t asked) noexcept { interactions = asked; }

  auto fields(auto&& visit) { return visit(values, interactions); }

 private:
  /// Whether all values are finite. Values that are not have all bits of the exponent. The loop has no branch, so that
  /// compilers use vector registers: 7 times as fast as std::isfinite for 300 values.
  [[nodiscard]] bool finite() const noexcept {
    constexpr std::uint32_t exponent = 0x7F80'0000;
    std::uint32_t other = 0;
    for (float const value : values) other |= (std::bit_cast<std::uint32_t>(value) & exponent) == exponent ? 1U : 0U;
    return other == 0;
  }
};

/// Σ n_c θ_c and Σ n_c: all that averaging needs of the messages.
struct WeightSum {
  static constexpr bool linear = true;

  std::vector<double> values;
  double weight = 0.0;
  std::uint64_t count = 0;

  void add(LocalWeights const& message) {
    double const n = message.weight();
    for (std::size_t i = 0; i < values.size(); ++i) values[i] += n * static_cast<double>(message.values[i]);
    weight += n;
    ++count;
  }

  void merge(WeightSum const& other) {
    for (std::size_t i = 0; i < values.size(); ++i) values[i] += other.values[i];
    weight += other.weight;
    count += other.count;
  }

  auto fields(auto&& visit) { return visit(values, weight, count); }
};

/// An empty WeightSum of the ranker's shared size.
template <class R>
[[nodiscard]] WeightSum weight_sum_for(R const& ranker) {
  return {std::vector<double>(shared_parameters(ranker).size()), 0.0, 0};
}

}  // namespace fltr
