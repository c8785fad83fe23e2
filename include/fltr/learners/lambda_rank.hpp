#pragma once

#include <cmath>
#include <cstdint>
#include <span>

#include <fltr/concepts/learner.hpp>
#include <fltr/concepts/ranker.hpp>
#include <fltr/core/error.hpp>
#include <fltr/core/random.hpp>
#include <fltr/data/query_view.hpp>
#include <fltr/learners/lambda_gradients.hpp>
#include <fltr/learners/local_steps.hpp>

namespace fltr {

/// LambdaRank (Burges 2010) from the grades themselves, for any differentiable ranker: what could be learnt if
/// everything were known. With LinearRanker it is the λLinear of the papers; a federation of a single client trains it
/// centrally.
struct LambdaRank {
  using Message = LocalWeights;
  static constexpr bool shows_lists = false;
  template <class R>
  static constexpr bool trains = DifferentiableRanker<R>;

  float learning_rate = 0.01F;
  LambdaOptions pairs{};
  LocalUpdate update = LocalUpdate::every_interaction;

  template <DifferentiableRanker R>
  std::uint32_t train(R& local, auto const& client, auto& session) const {
    require(std::isfinite(learning_rate) && learning_rate >= 0.0F, "LambdaRank", "a finite learning_rate >= 0",
            learning_rate);
    LambdaGradients gradients(pairs);
    Stream pick = session.streams.of(Purpose::queries);
    std::uint32_t const interactions = client.queries.size() > 0 ? client.interactions : 0;
    local_steps(local, interactions, learning_rate, update, session, [&](R const& current, std::uint32_t) {
      QueryView const query = client.queries.draw(pick);
      auto& scores = session.workspace.scores;
      auto& credit = session.workspace.credit;
      scores.resize(query.document_count());
      credit.resize(query.document_count());
      current.score(query, scores);
      gradients(query, scores, std::span<float>(credit), std::span<float>());
      for (float& c : credit) c = -c;
      return query;
    });
    return interactions;
  }
};
static_assert(Learner<LambdaRank>);

}  // namespace fltr
