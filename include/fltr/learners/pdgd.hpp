#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <fltr/concepts/learner.hpp>
#include <fltr/concepts/query_source.hpp>
#include <fltr/concepts/ranker.hpp>
#include <fltr/core/error.hpp>
#include <fltr/core/random.hpp>
#include <fltr/learners/detail/long_swap_odds.hpp>
#include <fltr/learners/detail/pair_gradient.hpp>
#include <fltr/learners/detail/swap_odds.hpp>
#include <fltr/learners/learner_workspace.hpp>
#include <fltr/learners/local_steps.hpp>
#include <fltr/learners/plackett_luce.hpp>
#include <fltr/messages/local_weights.hpp>

namespace fltr {

/// The unclicked documents that a clicked document is compared with.
enum class Negatives : std::uint8_t {
  examined,   ///< the documents down to one rank below the last click
  displayed,  ///< all displayed documents (pham2022)
};

/// The documents in the denominator of ρ.
enum class Mass : std::uint8_t {
  query,      ///< all documents of the query
  displayed,  ///< only the displayed documents (pham2022)
};

/// The list that is displayed.
enum class ListOrder : std::uint8_t {
  sampled,  ///< drawn from the Plackett-Luce model of the scores
  sorted,   ///< the documents with the highest scores, without a random number (pham2022's attacked clients)
};

/// Pairwise differentiable gradient descent (Oosterhuis and de Rijke 2018; FPDGD algorithm 1). It displays a list drawn
/// from the Plackett-Luce model of its scores (or the sorted list, see ListOrder). Each pair of a clicked and an examined unclicked document adds to their
/// score_gradients, with opposite signs,
///
///   w = ρ · e^a e^b / (e^a + e^b)²,   ρ = P(R*) / (P(R) + P(R*)),
///
/// where a and b are the scores of the two, and R* is the list with the two swapped. ρ removes the bias of the
/// displayed list.
///
/// Cost of an interaction with n documents of which s are displayed and e are compared (see Negatives): scores, O(n s) for the
/// draw of the list, and for the pairs O(e³), 8 at a time, if e is at most 256, otherwise O(e²), one pair at a time.
struct Pdgd {
  using Message = LocalWeights;
  using Workspace = LearnerWorkspace;
  template <class R>
  static constexpr bool trains = DifferentiableRanker<R>;

  float learning_rate = 0.1F;
  std::size_t shown = 10;  ///< documents in a list
  LocalUpdate update = LocalUpdate::every_interaction;
  Negatives negatives = Negatives::examined;
  Mass mass = Mass::query;
  ListOrder list_order = ListOrder::sampled;

  template <DifferentiableRanker R>
  std::uint32_t train(R& local, HasQueries auto const& client, auto& session) const {
    require(std::isfinite(learning_rate) && learning_rate >= 0.0F, "Pdgd", "a finite learning_rate >= 0",
            learning_rate);
    require(shown > 0, "Pdgd", "shown >= 1", shown);
    Stream pick = session.streams.of(Purpose::queries);
    Stream draw = session.streams.of(Purpose::ranking);
    std::uint32_t const interactions = client.queries.size() > 0 ? client.interactions : 0;
    auto const ask = [&](std::uint32_t i) {
      return draw_query(client.queries, {session.streams.round, i, interactions}, pick);
    };
    QueryView next = interactions > 0 ? ask(0) : QueryView{};
    local_steps(local, interactions, learning_rate, update, session, [&](R const& current, std::uint32_t i) {
      QueryView const query = next;
      session.workspace.scores.resize(query.document_count());
      current.score(query, session.workspace.scores);
      if (i + 1 < interactions) {  // loads the next query into the cache meanwhile
        next = ask(i + 1);
        next.prefetch();
      }
      interact(query, draw, session);
      return query;
    });
    return interactions;
  }

  /// One interaction with the scores in the workspace: draws a list, displays it, and writes the score_gradient of each
  /// document to the workspace.
  void interact(QueryView query, Stream& draw, auto& session) const {
    LearnerWorkspace& work = session.workspace;
    PlackettLuce list(work);
    list.prepare();
    if (list_order == ListOrder::sampled)
      list.sample(shown, draw);
    else
      list.sort(shown);
    auto const clicks = session.show(query, work.order);
    score_gradient(work, mass == Mass::query ? list.unplaced() : 0.0, clicks);
  }

  /// Computes the score_gradient of each document from masses, order and clicks. `rest` is the mass of the documents
  /// that were not displayed.
  void score_gradient(LearnerWorkspace& work, double rest, std::span<std::uint8_t const> clicks) const {
    work.score_gradient.assign(work.masses.size(), 0.0F);
    std::size_t last_click = clicks.size();
    for (std::size_t i = 0; i < clicks.size(); ++i) last_click = clicks[i] != 0 ? i : last_click;
    if (last_click == clicks.size()) return;

    std::size_t const end = negatives == Negatives::examined ? std::min(clicks.size(), last_click + 2) : clicks.size();
    auto const mass_at = [&](std::size_t rank) { return work.masses[work.order[rank]]; };
    // The content of `remaining` is no longer needed.
    if (end > detail::LongSwapOdds::above) {
      detail::LongSwapOdds const odds(work.order.size(), mass_at, rest, work.remaining, end);
      detail::add_long_pair_gradient(odds, clicks.first(end), work.order, work.score_gradient);
      return;
    }
    detail::SwapOdds const odds(work.order.size(), mass_at, rest, work.remaining, end);
    detail::add_pair_gradient(odds, clicks.first(end), work.order, work.score_gradient);
  }

  /// ρ · e^a e^b / (e^a + e^b)² for the odds (1 − ρ) / ρ and the masses e^a and e^b.
  [[nodiscard]] static double pair_weight(double odds, double a, double b) { return detail::pair_weight(odds, a, b); }
};
static_assert(Learner<Pdgd>);

}  // namespace fltr
