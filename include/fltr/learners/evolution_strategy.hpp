#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include <fltr/concepts/learner.hpp>
#include <fltr/concepts/metric.hpp>
#include <fltr/concepts/query_source.hpp>
#include <fltr/concepts/ranker.hpp>
#include <fltr/core/error.hpp>
#include <fltr/core/normal_noise.hpp>
#include <fltr/core/random.hpp>
#include <fltr/core/simd.hpp>
#include <fltr/data/query_view.hpp>
#include <fltr/learners/learner_workspace.hpp>
#include <fltr/messages/evolution_message.hpp>
#include <fltr/messages/shared_parameters.hpp>
#include <fltr/metrics/max_rr.hpp>

namespace fltr {

/// FOLtR-ES (Kharitonov 2019; thesis of Wang 2024, section 3.1). A client adds noise from its own seed to the
/// parameters of the ranker, θ ~ N(φ, σ²I), displays the top documents of the perturbed ranker, and measures the
/// clicks. With antithetic perturbations half of the interactions use φ + noise and half φ − noise. The message has the
/// seed and the measured values, no weights.
template <Metric M = MaxRr>
struct EvolutionStrategy {
  using Message = EvolutionMessage;
  using Workspace = LearnerWorkspace;
  template <class R>
  static constexpr bool trains = ParametricRanker<R>;

  M metric{};               ///< of the clicks on a list
  double noise_std = 0.01;  ///< σ
  bool antithetic = true;
  std::size_t shown = 10;  ///< documents in a list

  template <ParametricRanker R>
  [[nodiscard]] EvolutionMessage learn(R const& global, HasQueries auto const& client, auto& session) const {
    require(noise_std > 0.0 && std::isfinite(noise_std), "EvolutionStrategy", "a finite noise_std > 0", noise_std);
    require(shown > 0, "EvolutionStrategy", "shown >= 1", shown);
    require(!antithetic || client.interactions >= 2, "EvolutionStrategy",
            "at least 2 interactions per round with antithetic perturbations", client.interactions);
    EvolutionMessage message;
    message.seed = session.streams.of(Purpose::perturbation).bits64();
    std::uint32_t const interactions = client.queries.size() > 0 ? client.interactions : 0;
    std::size_t const positive = positive_interactions(interactions, antithetic);
    message.metrics.reserve(interactions);

    R perturbed = global;
    auto& noise = session.workspace.gradient;  // as long as the shared parameters
    noise.resize(shared_parameters(global).size());
    NormalNoise(message.seed).fill(noise);
    simd::axpy(static_cast<float>(noise_std), noise, shared_parameters(perturbed));

    Stream pick = session.streams.of(Purpose::queries);
    double const most = largest(session.workspace);
    auto const ask = [&](std::uint32_t i) {
      return draw_query(client.queries, {session.streams.round, i, interactions}, pick);
    };
    QueryView next = interactions > 0 ? ask(0) : QueryView{};
    for (std::uint32_t i = 0; i < interactions; ++i) {
      if (i == positive) {
        perturbed = global;
        simd::axpy(-static_cast<float>(noise_std), noise, shared_parameters(perturbed));
      }
      QueryView const query = next;
      session.workspace.scores.resize(query.document_count());
      perturbed.score(query, session.workspace.scores);
      if (i + 1 < interactions) {  // loads the next query into the cache meanwhile
        next = ask(i + 1);
        next.prefetch();
      }
      double const value = interact(query, session);
      session.report(value);
      message.metrics.push_back(static_cast<float>(std::clamp(value / most, 0.0, 1.0)));
    }
    return message;
  }

  /// The largest value of the metric: that of a list on which every document is clicked.
  [[nodiscard]] double largest(LearnerWorkspace& work) const {
    work.grades.assign(shown, 1);
    return value_of({work.grades, work.grades});
  }

 private:
  /// Displays the documents with the highest scores in the workspace and measures the clicks.
  double interact(QueryView query, auto& session) const {
    auto& work = session.workspace;
    work.top_k(work.scores, shown, work.order);
    auto const clicks = session.show(query, work.order);
    // The ideal list has all clicks at the top.
    auto const count = static_cast<std::size_t>(std::ranges::count(clicks, std::uint8_t{1}));
    work.grades.assign(clicks.size(), 0);
    std::fill_n(work.grades.begin(), count, Grade{1});
    return value_of({clicks, work.grades});
  }

  /// The value of a list that the metric skips (no click) is 0.
  [[nodiscard]] double value_of(RankedList list) const {
    return std::optional<double>(metric.measure(list)).value_or(0.0);
  }
};
static_assert(Learner<EvolutionStrategy<>>);

}  // namespace fltr
