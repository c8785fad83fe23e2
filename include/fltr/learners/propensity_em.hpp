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
#include <fltr/core/exponential.hpp>
#include <fltr/data/click_log.hpp>
#include <fltr/learners/examination_estimate.hpp>
#include <fltr/learners/learner_workspace.hpp>
#include <fltr/learners/local_steps.hpp>
#include <fltr/messages/local_weights.hpp>

namespace fltr {

/// Estimates position propensities from clicks (regression EM, Wang et al. 2018; FedIPS, section 5). A document is
/// clicked if it is examined and relevant,
///
///   P(click | x, k) = θ_k · σ(F(x) + b).
///
/// E-step, for a document without a click: P(examined) = θ(1 − γ) / (1 − θγ), P(relevant) = γ(1 − θ) / (1 − θγ), with γ
/// the relevance predicted by the model. M-step: θ_k is the mean of P(examined) at position k; F takes steps of
/// logistic regression towards P(relevant). θ and b are the State of each client and stay there. F is the ranker of the
/// federation, to which all clients contribute.
///
/// Uses clicks, positions and features, not the propensities of the log. If every document is always displayed at the
/// same position, relevance and position are separated only by the limits of F: the better F can represent the
/// production ranker, the more of the position bias F attributes to relevance.
struct PropensityEm {
  using Message = LocalWeights;
  using Workspace = LearnerWorkspace;
  static constexpr bool shows_lists = false;
  using State = ExaminationEstimate;
  template <class R>
  static constexpr bool trains = DifferentiableRanker<R>;

  float learning_rate = 1.0F;
  std::uint32_t passes = 3;  ///< over the queries of a round's log, for F
  double memory = 0.95;      ///< weight of the counts of earlier rounds, per round

  template <DifferentiableRanker R>
  std::uint32_t train(R& local, HasClickLog auto const& client, auto& session) const {
    require(std::isfinite(learning_rate) && learning_rate >= 0.0F, "PropensityEm", "a finite learning_rate >= 0",
            learning_rate);
    require(memory >= 0.0 && memory <= 1.0, "PropensityEm", "a memory in [0, 1]", memory);
    require(passes > 0, "PropensityEm", "passes >= 1", passes);
    ClickLog buffer;
    auto const documents = displayed_documents(client.log(session.streams, buffer));
    std::vector<std::span<DisplayedDocument const>> queries;
    for (std::size_t begin = 0, end = 0; begin < documents.size(); begin = end) {
      while (end < documents.size() && documents[end].query == documents[begin].query) ++end;
      queries.push_back(std::span(documents).subspan(begin, end - begin));
    }
    ExaminationEstimate& user = session.state;
    user.forget(memory);
    auto const work = static_cast<std::uint32_t>(queries.size()) * passes;
    local_steps(local, work, learning_rate, LocalUpdate::every_interaction, session,
                [&](R const& current, std::uint32_t i) {
                  bool const first_pass = i < queries.size();
                  return score_gradient(current, client, queries[i % queries.size()], first_pass, session);
                });
    user.maximize();
    return client.interactions;
  }

 private:
  /// How often a document was displayed and clicked at a position.
  struct DisplayedDocument {
    std::uint32_t query;
    std::uint32_t document;
    std::uint32_t position;
    double shown;
    double clicks;
  };

  /// The displayed documents of a log, sorted, with equal entries summed.
  template <class = void>
  [[nodiscard]] static std::vector<DisplayedDocument> displayed_documents(ClickLog const& log) {
    std::vector<DisplayedDocument> documents;
    for (std::size_t i = 0; i < log.size(); ++i)
      for (Impression const& s : log[i].shown)
        documents.push_back({log[i].query, s.document, s.position, 1.0, s.clicked ? 1.0 : 0.0});
    auto const key = [](DisplayedDocument const& p) { return std::tuple(p.query, p.document, p.position); };
    std::ranges::sort(documents, {}, key);
    std::size_t kept = 0;
    for (DisplayedDocument const& entry : documents) {
      if (kept > 0 && key(documents[kept - 1]) == key(entry)) {
        documents[kept - 1].shown += entry.shown;
        documents[kept - 1].clicks += entry.clicks;
      } else {
        documents[kept++] = entry;
      }
    }
    documents.resize(kept);
    return documents;
  }

  /// The E-step of a query: the score_gradients of the relevance model and, if `count`, the counts of the user's
  /// estimate.
  template <class R>
  QueryView score_gradient(R const& local, auto const& client, std::span<DisplayedDocument const> documents, bool count,
                           auto& session) const {
    ExaminationEstimate& user = session.state;
    auto& work = session.workspace;
    QueryView const query = client.queries.by_number(documents.front().query);
    work.scores.resize(query.document_count());
    work.score_gradient.assign(query.document_count(), 0.0F);
    local.score(query, work.scores);
    double total = 0.0;
    for (DisplayedDocument const& entry : documents) total += entry.shown;
    double gradient_sum = 0.0;
    for (DisplayedDocument const& entry : documents) {
      double const score = static_cast<double>(work.scores[entry.document]);
      double const relevance = 1.0 / (1.0 + math::exp(-(score + user.intercept)));
      double const theta = user.theta(entry.position);
      double const missed = entry.shown - entry.clicks;
      double const relevant = entry.clicks + missed * relevance * (1.0 - theta) / (1.0 - theta * relevance);
      double const gradient = (relevant - entry.shown * relevance) / total;
      work.score_gradient[entry.document] += static_cast<float>(gradient);
      gradient_sum += gradient;
      if (count) user.add(entry.position, entry.shown, entry.clicks, relevance);
    }
    user.intercept += static_cast<double>(learning_rate) * gradient_sum;
    return query;
  }
};

/// The propensities that a federation with PropensityEm has estimated. `states` are its client_states(), which must
/// outlive this object. The id of a client must be its index in the population.
template <class States>
struct EstimatedPropensities {
  States const* states = nullptr;

  // The estimates are of an earlier training, whose clients and options are the same; a rank has those of its own clients.
  auto members(auto&& visit) const { return visit(states != nullptr); }

  [[nodiscard]] double operator()(auto const& client, Impression const& shown) const {
    require(states != nullptr && client.id < states->size(), "EstimatedPropensities", "a client with an estimate",
            client.id);
    return (*states)[client.id].learner.propensity(shown.position);
  }
};

}  // namespace fltr
