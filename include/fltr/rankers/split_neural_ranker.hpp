#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <fltr/concepts/ranker.hpp>
#include <fltr/rankers/neural_ranker.hpp>

namespace fltr {

/// A NeuralRanker whose hidden layer travels and whose output layer stays at the client (see Personal). The model and
/// its file are those of NeuralRanker: the ranker that a client uses can be saved and read as a NeuralRanker.
///
/// The output layer of the global ranker is that of the start model, because no client sends its own.
struct SplitNeuralRanker : NeuralRanker {
  using NeuralRanker::NeuralRanker;

  /// W and b.
  [[nodiscard]] std::span<float> shared() & noexcept { return parameters().first(hidden_layer_size()); }
  [[nodiscard]] std::span<float const> shared() const& noexcept { return parameters().first(hidden_layer_size()); }
  [[nodiscard]] std::vector<float> shared() const&& {
    auto const travel = shared();
    return {travel.begin(), travel.end()};
  }

 private:
  [[nodiscard]] std::size_t hidden_layer_size() const noexcept { return hidden_count() * (feature_count() + 1); }
};
static_assert(DifferentiableRanker<SplitNeuralRanker>);

}  // namespace fltr
