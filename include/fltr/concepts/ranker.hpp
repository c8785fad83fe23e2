#pragma once

#include <concepts>
#include <cstddef>
#include <span>

#include <fltr/core/hooks.hpp>
#include <fltr/core/random.hpp>
#include <fltr/data/query_view.hpp>

namespace fltr {

namespace composition {
FLTR_HOOK(initialize);
FLTR_HOOK(minimum_clients);
FLTR_HOOK(same_shape);
FLTR_HOOK(consistent);
FLTR_HOOK(feature_count);
FLTR_HOOK(model_name);
}  // namespace composition

/// A **Ranker** gives each document of a query a score; higher is better.
///
/// | required                   | meaning                                                                       |
/// | -------------------------- | ----------------------------------------------------------------------------- |
/// | `r.score(query, scores)`   | const; writes one float per document into the span `scores`                   |
/// | copyable                   | a Round contains a copy                                                       |
///
/// | optional                   | meaning                                                                       |
/// | -------------------------- | ----------------------------------------------------------------------------- |
/// | `r.initialize(stream)`     | draws the start model; called once, before the first round; must not change a |
/// |                            | ranker that was trained                                                       |
/// | `r.fields(visit)`          | calls visit with all members (see HasFields): for model files and for saving  |
/// |                            | a Training                                                                    |
/// | `r.consistent()`           | const; returns bool: whether the members that were read fit together          |
/// | `r.shared()`               | ParametricRanker; the std::span<float> of the parameters that travel, and the |
/// |                            | const version; default: all parameters                                        |
/// | `r.minimum_clients()`      | const; returns the least number of clients that a training needs; default 1   |
/// | `r.same_shape(other)`      | const; returns bool: whether a ranker that was read from a checkpoint can     |
/// |                            | take the place of this one; default: the same number of parameters            |
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
/// Models: LinearRanker, NeuralRanker, SplitNeuralRanker, ClusteredRanker, Forest. Stronger: ParametricRanker, DifferentiableRanker.
template <class R>
concept Ranker =
    std::copyable<R> && requires(R const& r, QueryView query, std::span<float> scores) { r.score(query, scores); };

/// A **ParametricRanker** is a Ranker whose model is a vector of floats: `r.parameters()` returns a std::span<float>,
/// and a std::span<float const> for a const ranker.
template <class R>
concept ParametricRanker = Ranker<R> && requires(R& r, R const& c) {
  { r.parameters() } -> std::same_as<std::span<float>>;
  { c.parameters() } -> std::same_as<std::span<float const>>;
};

/// A **DifferentiableRanker** is a ParametricRanker with `r.backward(query, score_gradient, gradient)`, const, which
/// adds Σ_i score_gradient_i · ∂score_i / ∂parameters to `gradient`. A document with score_gradient 0 should cost
/// almost nothing, because most documents have 0.
template <class R>
concept DifferentiableRanker =
    ParametricRanker<R> && requires(R const& r, QueryView query, std::span<float const> score_gradient,
                                    std::span<float> gradient) { r.backward(query, score_gradient, gradient); };

/// Calls the hook `initialize` of a ranker that has it.
template <Ranker R>
void initialize(R& ranker, Stream stream) {
  if constexpr (composition::NamesHook_initialize<R>) {
    static_assert(
        requires { ranker.initialize(stream); },
        "fltr: the Ranker's hook 'initialize' must be callable as initialize(Stream&)");
    ranker.initialize(stream);
  }
}

/// The least number of clients that a training of this ranker needs: its hook `minimum_clients`, or 1.
template <Ranker R>
[[nodiscard]] std::size_t minimum_clients(R const& ranker) {
  if constexpr (composition::NamesHook_minimum_clients<R>) {
    static_assert(
        requires {
          { ranker.minimum_clients() } -> std::convertible_to<std::size_t>;
        }, "fltr: the Ranker's hook 'minimum_clients' must be callable as std::size_t minimum_clients() const");
    return ranker.minimum_clients();
  } else {
    return 1;
  }
}

}  // namespace fltr
