#pragma once

#include <cstddef>
#include <cstdint>

#include <fltr/concepts/ranker.hpp>
#include <fltr/data/click_log.hpp>
#include <fltr/data/query_view.hpp>
#include <fltr/learners/additive_loss.hpp>
#include <fltr/learners/detail/hinge_score_gradient.hpp>
#include <fltr/learners/local_steps.hpp>

namespace fltr::detail {

/// The local training of learners from logged clicks: one step of gradient descent per click, in the order of the log,
/// on weight · g(1 + h), where h is the hinge sum of the clicked document among all documents of its query.
/// `weight(shown)` ≥ 0 is the weight of a click.
///
/// Returns client.interactions: all clients have the same weight at the server, whatever their number of clicks
/// (FedIPS, eq. 6).
template <DifferentiableRanker R, AdditiveLoss G, class Weight>
std::uint32_t click_steps(R& local, HasClickLog auto const& client, auto& session, float learning_rate, G const& loss,
                          Weight const& weight) {
  ClickLog buffer;
  ClickLog const& log = client.log(session.streams, buffer);
  std::size_t list = 0;
  std::size_t rank = 0;
  auto const next_click = [&] {
    for (;; ++list, rank = 0)
      for (auto const shown = log[list].shown; rank < shown.size(); ++rank)
        if (shown[rank].clicked) return shown[rank++];
  };
  auto const score_gradient = [&](R const& current, std::uint32_t) {
    Impression const click = next_click();
    QueryView const query = client.queries.by_number(log[list].query);
    auto& scores = session.workspace.scores;
    scores.resize(query.document_count());
    current.score(query, scores);
    double const worth = weight(click);
    double const h = hinge_score_gradient(
        scores, click.document, [&](double bound) { return worth * loss.slope(bound); },
        session.workspace.score_gradient);
    session.report(worth * loss.value(1.0 + h));
    return query;
  };
  local_steps(local, static_cast<std::uint32_t>(log.click_count()), learning_rate, LocalUpdate::every_interaction,
              session, score_gradient);
  return client.interactions;
}

}  // namespace fltr::detail
