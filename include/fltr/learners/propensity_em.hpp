#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <tuple>
#include <vector>

#include <fltr/concepts/learner.hpp>
#include <fltr/concepts/ranker.hpp>
#include <fltr/core/error.hpp>
#include <fltr/data/click_log.hpp>
#include <fltr/learners/local_steps.hpp>

namespace fltr {

/// What a client knows of its user: how often the user looks at each position. What was shown and clicked is kept by
/// position and by how relevant the model held it to be, in a few steps: enough to find θ from all of it anew whenever
/// something is added.
struct ExaminationEstimate {
  /// Documents at one position, of about the same relevance.
  struct Cell {
    double shown = 0.0;
    double clicks = 0.0;
    double relevance = 0.0;  ///< summed up
    auto fields(auto&& visit) { return visit(shown, clicks, relevance); }
  };
  static constexpr std::size_t steps = 8;  ///< of relevance

  std::vector<Cell> cells;     ///< `steps` for each position; older rounds count less
  std::vector<double> thetas;  ///< P(examined) by position
  double intercept = 0.0;      ///< of the relevance model, this user's own

  /// θ of a position: one half before anything was seen there.
  [[nodiscard]] double theta(std::size_t position) const {
    return position <= thetas.size() ? thetas[position - 1] : 0.5;
  }
  /// The propensity of a position relative to that of the first, in (0, 1]: all that clicks can tell, since doubling
  /// every propensity and halving every relevance leaves them alike.
  [[nodiscard]] double propensity(std::size_t position) const { return std::min(1.0, theta(position) / theta(1)); }

  void forget(double memory) {
    for (Cell& cell : cells) {
      cell.shown *= memory;
      cell.clicks *= memory;
      cell.relevance *= memory;
    }
  }

  void add(std::size_t position, double shown, double clicks, double relevance) {
    if (thetas.size() < position) {
      thetas.resize(position, 0.5);
      cells.resize(position * steps);
    }
    auto const step = std::min(static_cast<std::size_t>(relevance * static_cast<double>(steps)), steps - 1);
    Cell& cell = cells[(position - 1) * steps + step];
    cell.shown += shown;
    cell.clicks += clicks;
    cell.relevance += shown * relevance;
  }

  /// Repeats E- and M-steps until θ stays where it is: θ ← mean of P(examined), with one document more that says ½.
  void maximize() {
    constexpr int most = 200;
    constexpr double still = 1e-4;
    for (std::size_t k = 0; k < thetas.size(); ++k) {
      auto const here = std::span(cells).subspan(k * steps, steps);
      for (int i = 0; i < most; ++i) {
        double const before = thetas[k];
        double examined = 0.5;
        double shown = 1.0;
        for (Cell const& cell : here) {
          if (!(cell.shown > 0.0)) continue;
          double const relevance = cell.relevance / cell.shown;
          examined +=
              cell.clicks + (cell.shown - cell.clicks) * before * (1.0 - relevance) / (1.0 - before * relevance);
          shown += cell.shown;
        }
        thetas[k] = examined / shown;
        if (std::abs(thetas[k] - before) < still * before) break;
      }
    }
  }

  auto fields(auto&& visit) { return visit(cells, thetas, intercept); }
};

/// Estimates position propensities from clicks (regression EM, Wang et al. 2018; FedIPS, section 5). A click needs a
/// document that was examined and is relevant,
///
///   P(click | x, k) = θ_k · σ(F(x) + b).
///
/// E-step, for a document without a click: P(examined) = θ(1 − γ) / (1 − θγ), P(relevant) = γ(1 − θ) / (1 − θγ), with γ
/// the relevance by the model. M-step: θ_k is the mean of P(examined) at position k; F takes steps of logistic
/// regression towards P(relevant). θ and b stay at the client, as its State, which is kept for every client; F is the
/// federation's ranker and is averaged: to F every user contributes, about a user only its own device knows.
///
/// It sees clicks, positions and features; propensities in the log are not looked at. Where every document is always
/// shown at one position, only F's limits tell relevance from position: the better F knows the production ranker, the
/// more of the bias it explains away.
struct PropensityEm {
  using Message = LocalWeights;
  static constexpr bool shows_lists = false;
  using State = ExaminationEstimate;
  template <class R>
  static constexpr bool trains = DifferentiableRanker<R>;

  float learning_rate = 1.0F;
  std::uint32_t passes = 3;  ///< over the queries of a round's log, for F
  double memory = 0.95;      ///< how much of what earlier rounds found still counts in the next

  template <DifferentiableRanker R>
  std::uint32_t train(R& local, HasClickLog auto const& client, auto& session) const {
    require(std::isfinite(learning_rate) && learning_rate >= 0.0F, "PropensityEm", "a finite learning_rate >= 0",
            learning_rate);
    require(memory >= 0.0 && memory <= 1.0, "PropensityEm", "a memory in [0, 1]", memory);
    require(passes > 0, "PropensityEm", "at least one pass", passes);
    ClickLog buffer;
    auto const places = places_of(client.log(session.streams, buffer));
    std::vector<std::span<Place const>> queries;
    for (std::size_t begin = 0, end = 0; begin < places.size(); begin = end) {
      while (end < places.size() && places[end].query == places[begin].query) ++end;
      queries.push_back(std::span(places).subspan(begin, end - begin));
    }
    ExaminationEstimate& user = session.state;
    user.forget(memory);
    auto const work = static_cast<std::uint32_t>(queries.size()) * passes;
    local_steps(local, work, learning_rate, LocalUpdate::every_interaction, session,
                [&](R const& current, std::uint32_t i) {
                  bool const first_pass = i < queries.size();
                  return credit(current, client, queries[i % queries.size()], first_pass, session);
                });
    user.maximize();
    return client.interactions;
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

  /// The E-step of a query: credits for the relevance model, and in the first pass what the user's estimate is made of.
  template <class R>
  QueryView credit(R const& local, auto const& client, std::span<Place const> places, bool count, auto& session) const {
    ExaminationEstimate& user = session.state;
    auto& work = session.workspace;
    QueryView const query = client.queries.data()[places.front().query];
    work.scores.resize(query.document_count());
    work.credit.assign(query.document_count(), 0.0F);
    local.score(query, work.scores);
    double total = 0.0;
    for (Place const& place : places) total += place.shown;
    double pull_of_all = 0.0;
    for (Place const& place : places) {
      double const score = static_cast<double>(work.scores[place.document]);
      double const relevance = 1.0 / (1.0 + std::exp(-(score + user.intercept)));
      double const theta = user.theta(place.position);
      double const missed = place.shown - place.clicks;
      double const relevant = place.clicks + missed * relevance * (1.0 - theta) / (1.0 - theta * relevance);
      double const pull = (relevant - place.shown * relevance) / total;
      work.credit[place.document] += static_cast<float>(pull);
      pull_of_all += pull;
      if (count) user.add(place.position, place.shown, place.clicks, relevance);
    }
    user.intercept += static_cast<double>(learning_rate) * pull_of_all;
    return query;
  }
};

/// Propensities that a federation with PropensityEm has found so far: `states` are its client_states(), which must
/// outlive this. Clients are found by their id, which must be their place in the population.
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
