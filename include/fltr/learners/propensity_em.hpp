#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <vector>

#include <fltr/concepts/learner.hpp>
#include <fltr/concepts/ranker.hpp>
#include <fltr/core/error.hpp>
#include <fltr/data/click_log.hpp>
#include <fltr/learners/local_steps.hpp>

namespace fltr {

/// What a client knows of its user: how often the user looks at each position.
struct ExaminationEstimate {
  std::vector<double> examined;  ///< by position, what E-steps found; older rounds count less
  std::vector<double> shown;     ///< by position, how many documents stood there
  double intercept = 0.0;        ///< of the relevance model, this user's own

  /// θ of a position: P(examined), one half before anything was seen.
  [[nodiscard]] double theta(std::size_t position) const {
    constexpr double before = 1.0;  // documents that stand for knowing nothing
    bool const seen = position <= shown.size();
    return (0.5 * before + (seen ? examined[position - 1] : 0.0)) / (before + (seen ? shown[position - 1] : 0.0));
  }
  /// The propensity of a position relative to that of the first, in (0, 1]: all that clicks can tell, since doubling
  /// every propensity and halving every relevance leaves them alike.
  [[nodiscard]] double propensity(std::size_t position) const { return std::min(1.0, theta(position) / theta(1)); }

  void fields(auto&& visit) { visit(examined, shown, intercept); }
};

/// Estimates position propensities from clicks (regression EM, Wang et al. 2018; FedIPS, section 5). A click needs a
/// document that was examined and is relevant,
///
///   P(click | x, k) = θ_k · σ(F(x) + b).
///
/// E-step, for a document without a click: P(examined) = θ(1 − γ) / (1 − θγ), P(relevant) = γ(1 − θ) / (1 − θγ), with γ
/// the relevance by the model. M-step: θ_k is the mean of P(examined) at position k; F takes a step of logistic
/// regression towards P(relevant) for every query. θ and b stay at the client, as its State; F is the federation's
/// ranker and is averaged: to F every user contributes, about a user only its own device knows.
///
/// It sees clicks, positions and features; propensities in the log are not looked at.
struct PropensityEm {
  using Message = LocalWeights;
  using State = ExaminationEstimate;
  template <class R>
  static constexpr bool trains = DifferentiableRanker<R>;

  float learning_rate = 1.0F;
  double memory = 0.95;  ///< how much of what earlier rounds found still counts in the next

  template <DifferentiableRanker R>
  [[nodiscard]] LocalWeights learn(R const& global, HasClickLog auto const& client, auto& session) const {
    require(std::isfinite(learning_rate) && learning_rate >= 0.0F, "PropensityEm", "a finite learning_rate >= 0",
            learning_rate);
    require(memory >= 0.0 && memory <= 1.0, "PropensityEm", "a memory in [0, 1]", memory);
    ClickLog buffer;
    auto const places = places_of(client.log(session.streams, buffer));
    ExaminationEstimate& user = session.state;
    ExaminationEstimate const before = user;
    for (auto* sums : {&user.examined, &user.shown})
      for (double& sum : *sums) sum *= memory;

    std::uint32_t queries = 0;
    for (std::size_t i = 0; i < places.size(); ++i) queries += i == 0 || places[i].query != places[i - 1].query ? 1 : 0;
    std::size_t next = 0;
    auto message = local_steps(
        global, queries, learning_rate, LocalUpdate::every_interaction, session, [&](R const& local, std::uint32_t) {
          QueryView const query = client.queries.data()[places[next].query];
          auto& work = session.workspace;
          work.scores.resize(query.document_count());
          work.credit.assign(query.document_count(), 0.0F);
          local.score(query, work.scores);
          std::size_t const first = next;
          double total = 0.0;
          while (next < places.size() && places[next].query == places[first].query) total += places[next++].shown;
          double intercept = 0.0;
          for (std::size_t i = first; i < next; ++i) {
            double const pull = credit(places[i], static_cast<double>(work.scores[places[i].document]), before, user);
            work.credit[places[i].document] += static_cast<float>(pull / total);
            intercept += pull / total;
          }
          user.intercept += static_cast<double>(learning_rate) * intercept;
          return query;
        });
    message.interactions = client.interactions;
    return message;
  }

 private:
  /// A document at a position, and how often.
  struct Place {
    std::uint32_t query;
    std::uint32_t document;
    std::uint32_t position;
    double shown;
    double clicks;
  };

  /// The lists of a log, sorted and added up.
  [[nodiscard]] static std::vector<Place> places_of(ClickLog const& log) {
    std::vector<Place> places;
    for (std::size_t i = 0; i < log.size(); ++i)
      for (Shown const& s : log[i].shown)
        places.push_back({log[i].query, s.document, s.position, 1.0, s.clicked ? 1.0 : 0.0});
    auto const key = [](Place const& p) { return std::tuple(p.query, p.document, p.position); };
    std::ranges::sort(places, {}, key);
    std::size_t kept = 0;
    for (Place const& place : places) {
      if (kept > 0 && key(places[kept - 1]) == key(place)) {
        places[kept - 1].shown += place.shown;
        places[kept - 1].clicks += place.clicks;
      } else {
        places[kept++] = place;
      }
    }
    places.resize(kept);
    return places;
  }

  /// The E-step of a place. Adds what it says of the position to `user`; returns what the relevance model should move
  /// by.
  [[nodiscard]] static double credit(Place const& place, double score, ExaminationEstimate const& before,
                                     ExaminationEstimate& user) {
    double const theta = before.theta(place.position);
    double const relevance = 1.0 / (1.0 + std::exp(-(score + user.intercept)));
    double const unclicked = 1.0 - theta * relevance;
    double const missed = place.shown - place.clicks;
    double const examined = place.clicks + missed * theta * (1.0 - relevance) / unclicked;
    double const relevant = place.clicks + missed * relevance * (1.0 - theta) / unclicked;
    if (user.shown.size() < place.position) {
      user.examined.resize(place.position);
      user.shown.resize(place.position);
    }
    user.examined[place.position - 1] += examined;
    user.shown[place.position - 1] += place.shown;
    return relevant - place.shown * relevance;
  }
};

/// Propensities that a federation with PropensityEm has found so far: `states` are its client_states(), which must
/// outlive this and belong to the same clients.
template <class States>
struct EstimatedPropensities {
  States const* states = nullptr;

  [[nodiscard]] double operator()(auto const& client, Shown const& shown) const {
    require(states != nullptr && client.id < states->size(), "EstimatedPropensities", "an estimate for every client",
            client.id);
    return (*states)[client.id].learner.propensity(shown.position);
  }
};

}  // namespace fltr
