#pragma once

#include <cmath>
#include <cstdint>
#include <span>

#include <fltr/boosting/lambda_gradients.hpp>
#include <fltr/concepts/learner.hpp>
#include <fltr/concepts/query_source.hpp>
#include <fltr/concepts/ranker.hpp>
#include <fltr/core/error.hpp>
#include <fltr/core/random.hpp>
#include <fltr/data/query_view.hpp>
#include <fltr/learners/learner_workspace.hpp>
#include <fltr/learners/local_steps.hpp>
#include <fltr/messages/local_weights.hpp>

namespace fltr {

/// LambdaRank (Burges 2010) for any differentiable ranker. It learns from the grades, not from clicks: an upper limit
/// for learners from clicks. With LinearRanker it is λLinear of the papers. A federation of one client trains
/// centrally.
struct LambdaRank {
  using Message = LocalWeights;
  using Workspace = LearnerWorkspace;
  static constexpr bool shows_lists = false;
  template <class R>
  static constexpr bool trains = DifferentiableRanker<R>;

  float learning_rate = 0.01F;
  LambdaOptions pairs{};
  LocalUpdate update = LocalUpdate::every_interaction;

  template <DifferentiableRanker R>
  std::uint32_t train(R& local, HasQueries auto const& client, auto& session) const {
    require(std::isfinite(learning_rate) && learning_rate >= 0.0F, "LambdaRank", "a finite learning_rate >= 0",
            learning_rate);
    LambdaGradients gradients(pairs);
    Stream pick = session.streams.of(Purpose::queries);
    std::uint32_t const interactions = client.queries.size() > 0 ? client.interactions : 0;
    local_steps(local, interactions, learning_rate, update, session, [&](R const& current, std::uint32_t i) {
      QueryView const query = draw_query(client.queries, {session.streams.round, i, interactions}, pick);
      auto& scores = session.workspace.scores;
      auto& score_gradient = session.workspace.score_gradient;
      scores.resize(query.document_count());
      score_gradient.resize(query.document_count());
      current.score(query, scores);
      gradients(query, scores, std::span<float>(score_gradient), std::span<float>());
      for (float& g : score_gradient) g = -g;  // from the gradient of the loss to that of the objective
      return query;
    });
    return interactions;
  }
};
static_assert(Learner<LambdaRank>);

}  // namespace fltr
