#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <fltr/concepts/learner.hpp>
#include <fltr/concepts/ranker.hpp>
#include <fltr/learners/inner_session.hpp>
#include <fltr/messages/shared_parameters.hpp>
#include <fltr/rankers/neural_ranker.hpp>

namespace fltr::testing {

/// A neural ranker whose output layer does not travel.
struct NeuralWithHead : NeuralRanker {
  using NeuralRanker::NeuralRanker;
  [[nodiscard]] std::span<float> shared() { return parameters().first(body()); }
  [[nodiscard]] std::span<float const> shared() const { return parameters().first(body()); }

 private:
  [[nodiscard]] std::size_t body() const { return hidden_count() * (feature_count() + 1); }
};
static_assert(DifferentiableRanker<NeuralWithHead>);

/// FedPer (Arivazhagan et al. 2019): the parameters that do not travel stay at the client.
template <InPlaceLearner L>
struct Personal : L {
  struct State {
    fltr::State<L> inner{};
    std::vector<float> head{};
    auto fields(auto&& visit) { return visit(inner, head); }
  };

  template <ParametricRanker R>
  std::uint32_t train(R& local, auto const& client, auto& session) const {
    State& own = session.state;
    put(own, local);
    InnerSession inner(session, own.inner);
    std::uint32_t const interactions = L::train(local, client, inner);
    auto const head = personal_parameters(local);
    own.head.assign(head.begin(), head.end());
    return interactions;
  }

  template <class R>
  [[nodiscard]] R personal(R ranker, State const& own) const {
    put(own, ranker);
    return ranker;
  }

 private:
  static void put(State const& own, auto& ranker) {
    if (!own.head.empty()) std::ranges::copy(own.head, personal_parameters(ranker).begin());
  }
};

}  // namespace fltr::testing
