#pragma once

#include <concepts>
#include <cstddef>
#include <span>

#include <fltr/core/hooks.hpp>
#include <fltr/core/random.hpp>
#include <fltr/data/query_view.hpp>

namespace fltr {

FLTR_HOOK(initialize);

/// A **Ranker** gives each document of a query a score; higher is better.
///
/// | required                   | meaning                                                                       |
/// | -------------------------- | ----------------------------------------------------------------------------- |
/// | `r.score(query, scores)`   | const; writes one float per document into the span `scores`                   |
/// | copyable                   | a round hands out a copy                                                      |
///
/// | optional                   | meaning                                                                       |
/// | -------------------------- | ----------------------------------------------------------------------------- |
/// | `r.initialize(stream)`     | draws the start model, once, before the first round; leaves a trained one     |
/// |                            | as it is                                                                      |
/// | `r.fields(visit)`          | shows the members (see HasFields): for model files and for saving a Training  |
///
/// Not required: parameters, gradients, a fixed number of features.
///
///     struct ByFirstFeature {
///       void score(fltr::QueryView query, std::span<float> scores) const {
///         for (std::size_t i = 0; i < scores.size(); ++i) scores[i] = query.row(i)[0];
///       }
///     };
///     static_assert(fltr::Ranker<ByFirstFeature>);
///
/// Models: LinearRanker, NeuralRanker, Forest. Stronger: ParametricRanker, DifferentiableRanker.
template <class R>
concept Ranker = std::copyable<R> && requires(R const& r, QueryView query, std::span<float> scores) {
  r.score(query, scores);
};

/// A **ParametricRanker** is a Ranker whose model is a flat span of floats: `r.parameters()`, mutable and const.
/// Optional: `r.shared()`, the part of the parameters that travels (all of them without it).
template <class R>
concept ParametricRanker = Ranker<R> && requires(R& r, R const& c) {
  { r.parameters() } -> std::same_as<std::span<float>>;
  { c.parameters() } -> std::same_as<std::span<float const>>;
};

/// A **DifferentiableRanker** is a ParametricRanker that can pass credit back: `r.backward(query, credit, gradient)`
/// adds Σ_i credit_i · ∂score_i / ∂parameters to `gradient`. A credit of 0 must cost next to nothing: most documents
/// have none.
template <class R>
concept DifferentiableRanker = ParametricRanker<R> &&
    requires(R const& r, QueryView query, std::span<float const> credit, std::span<float> gradient) {
  r.backward(query, credit, gradient);
};

/// Draws the start model of a ranker that has one to draw.
template <Ranker R>
void initialize(R& ranker, Stream stream) {
  if constexpr (NamesHook_initialize<R>) {
    static_assert(
        requires { ranker.initialize(stream); },
        "fltr: the Ranker's hook 'initialize' must be callable as initialize(Stream&)");
    ranker.initialize(stream);
  }
}

}  // namespace fltr
