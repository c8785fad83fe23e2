#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <fltr/concepts/learner.hpp>
#include <fltr/concepts/ranker.hpp>
#include <fltr/core/error.hpp>
#include <fltr/core/random.hpp>
#include <fltr/core/workspace.hpp>
#include <fltr/learners/local_steps.hpp>
#include <fltr/learners/plackett_luce.hpp>
#include <fltr/messages/local_weights.hpp>

namespace fltr {

/// Which unclicked documents lose against a clicked one.
enum class Negatives : std::uint8_t {
  examined,   ///< those down to one rank below the last click
  displayed,  ///< all that were shown (pham2022)
};

/// Over which documents the probabilities of ρ run.
enum class Mass : std::uint8_t {
  query,      ///< all documents of the query
  displayed,  ///< those that were shown (pham2022)
};

/// The odds P(R) / P(R*) of a list and the list with two ranks swapped (PDGD eq. 6), for all pairs of one list.
///
/// With Z_i the mass not placed before rank i, P(R) / P(R*) = Π_{i = lo+1..hi} (Z_i + e^{s(lo)} − e^{s(hi)}) / Z_i.
/// Z_i − e^{s(hi)} is added up from its parts, since as a difference it would lose all digits when one document holds
/// nearly all the mass. All factors lie on the same side of 1, so the product may leave the range of double (and ρ
/// become exactly 0 or 1) but is never 0 · ∞.
class SwapOdds {
 public:
  /// `shown`: masses in rank order; `rest`: the mass of everything else; `room`: twice as many numbers as shown.
  SwapOdds(std::span<double const> shown, double rest, std::span<double> room)
      : shown_(shown), behind_(room.first(shown.size())), inverse_(room.subspan(shown.size(), shown.size())) {
    double mass = rest;
    for (std::size_t i = shown.size(); i > 0; --i) {
      room[i - 1] = mass;
      mass += shown[i - 1];
      room[shown.size() + i - 1] = 1.0 / mass;
    }
  }

  [[nodiscard]] double operator()(std::size_t a, std::size_t b) const {
    std::size_t const low = std::min(a, b);
    std::size_t const high = std::max(a, b);
    double odds = 1.0;
    double without_high = behind_[high];
    for (std::size_t i = high; i > low; --i) {
      odds *= (without_high + shown_[low]) * inverse_[i];
      without_high += shown_[i - 1];
    }
    return odds;
  }

 private:
  std::span<double const> shown_;
  std::span<double const> behind_;   // Z_{i+1}: the mass behind rank i
  std::span<double const> inverse_;  // 1 / Z_i: one division per rank, not one per pair and rank
};

/// Pairwise differentiable gradient descent (Oosterhuis and de Rijke 2018; FPDGD algorithm 1): shows a list drawn from
/// the Plackett-Luce model of its scores and credits each clicked document against the unclicked ones that were
/// examined,
///
///   w = ρ · e^a e^b / (e^a + e^b)²,   ρ = P(R*) / (P(R) + P(R*)),
///
/// where R* is the list with the two swapped; ρ takes out the bias of the list that happened to be shown.
struct Pdgd {
  using Message = LocalWeights;
  template <class R>
  static constexpr bool trains = DifferentiableRanker<R>;

  float learning_rate = 0.1F;
  std::size_t shown = 10;  ///< documents in a list
  LocalUpdate update = LocalUpdate::every_interaction;
  Negatives negatives = Negatives::examined;
  Mass mass = Mass::query;

  template <DifferentiableRanker R>
  std::uint32_t train(R& local, auto const& client, auto& session) const {
    require(std::isfinite(learning_rate) && learning_rate >= 0.0F, "Pdgd", "a finite learning_rate >= 0",
            learning_rate);
    require(shown > 0, "Pdgd", "at least one document to be shown", shown);
    Stream pick = session.streams.of(Purpose::queries);
    Stream draw = session.streams.of(Purpose::ranking);
    std::uint32_t const interactions = client.queries.size() > 0 ? client.interactions : 0;
    QueryView next = interactions > 0 ? client.queries.draw(pick) : QueryView{};
    local_steps(local, interactions, learning_rate, update, session, [&](R const& current, std::uint32_t i) {
      QueryView const query = next;
      session.workspace.scores.resize(query.document_count());
      current.score(query, session.workspace.scores);
      if (i + 1 < interactions) {  // while this one is worked on, the next one may come from memory
        next = client.queries.draw(pick);
        next.prefetch();
      }
      interact(query, draw, session);
      return query;
    });
    return interactions;
  }

  /// One interaction on the scores in the workspace: draw a list, show it, leave every document's credit there.
  void interact(QueryView query, Stream& draw, auto& session) const {
    Workspace& work = session.workspace;
    PlackettLuce list(work);
    list.prepare();
    list.sample(shown, draw);
    auto const clicks = session.show(query, work.order);
    credit(work, mass == Mass::query ? list.unplaced() : 0.0, clicks);
  }

  /// The credit of each document, from masses, order and clicks; `rest` is the mass of the documents that were not
  /// shown.
  void credit(Workspace& work, double rest, std::span<std::uint8_t const> clicks) const {
    work.credit.assign(work.masses.size(), 0.0F);
    std::size_t last_click = clicks.size();
    for (std::size_t i = 0; i < clicks.size(); ++i)
      if (clicks[i] != 0) last_click = i;
    if (last_click == clicks.size()) return;

    std::size_t const end = negatives == Negatives::examined ? std::min(clicks.size(), last_click + 2) : clicks.size();
    std::size_t const n = work.order.size();
    work.remaining.resize(3 * n);  // its content is no longer needed
    auto const shown_masses = std::span(work.remaining).first(n);
    for (std::size_t i = 0; i < n; ++i) shown_masses[i] = work.masses[work.order[i]];
    SwapOdds const odds(shown_masses, rest, std::span(work.remaining).subspan(n));
    for (std::size_t c = 0; c <= last_click; ++c) {
      if (clicks[c] == 0) continue;
      for (std::size_t u = 0; u < end; ++u) {
        if (clicks[u] != 0) continue;
        auto const w = static_cast<float>(pair_weight(odds(c, u), shown_masses[c], shown_masses[u]));
        work.credit[work.order[c]] += w;
        work.credit[work.order[u]] -= w;
      }
    }
  }

  /// ρ · e^a e^b / (e^a + e^b)², by the quotient of the smaller and the larger mass: their product may underflow.
  [[nodiscard]] static double pair_weight(double odds, double a, double b) {
    double const quotient = std::min(a, b) / std::max(a, b);
    return quotient / ((1.0 + quotient) * (1.0 + quotient) * (1.0 + odds));
  }
};
static_assert(Learner<Pdgd>);

}  // namespace fltr
