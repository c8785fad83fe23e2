#pragma once

#include <concepts>
#include <cstddef>

#include <fltr/concepts/ranker.hpp>
#include <fltr/data/normalize.hpp>
#include <fltr/formats/letor_options.hpp>

namespace fltr {

/// How documents of a text file are prepared for a model: the reader clamps the feature values, then they are
/// normalised as in training.
struct ModelInput {
  double clamp_to = LetorOptions{}.clamp_to;  ///< LetorOptions::clamp_to of the training
  FittedNormalization normalization{};

  auto fields(auto&& visit) { return visit(clamp_to, normalization); }
  friend bool operator==(ModelInput const&, ModelInput const&) = default;

  /// Whether clamp_to is positive and the statistics fit the ranker's number of features. The number of features of a
  /// ranker without feature_count() is not checked.
  template <class R>
  [[nodiscard]] bool consistent(R const& ranker) const noexcept {
    std::size_t features = normalization.zscore().mean.size();
    if constexpr (composition::NamesHook_feature_count<R>) {
      static_assert(
          requires {
            { ranker.feature_count() } -> std::convertible_to<std::size_t>;
          }, "fltr: the model's hook 'feature_count' must be callable as std::size_t feature_count() const");
      features = ranker.feature_count();
    }
    return clamp_to > 0 && normalization.consistent(features);
  }
};

}  // namespace fltr
