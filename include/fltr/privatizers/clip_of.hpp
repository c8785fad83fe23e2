#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <fltr/core/error.hpp>

namespace fltr {

/// What a privatizer clips and adds noise to.
enum class ClipOf : std::uint8_t {
  weights,  ///< the local weights: far from 0, the clip changes the model
  update,   ///< the difference from the broadcast parameters, which everybody knows
};

/// The norm that a privatizer clips.
enum class ClipNorm : std::uint8_t {
  l1,  ///< Σ |v|: pure ε for Laplace noise
  l2,  ///< √Σ v²: shorter vectors for the same model, so less noise over many rounds
};

namespace detail {

/// values −= broadcast.
inline void to_update(std::span<float> values, std::span<float const> broadcast) {
  require(broadcast.size() == values.size(), "ClipOf::update", "a broadcast ranker with as many parameters as values",
          broadcast.size());
  for (std::size_t i = 0; i < values.size(); ++i) values[i] -= broadcast[i];
}

}  // namespace detail

}  // namespace fltr
