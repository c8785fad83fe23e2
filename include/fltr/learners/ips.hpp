#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include <fltr/concepts/learner.hpp>
#include <fltr/concepts/ranker.hpp>
#include <fltr/core/error.hpp>
#include <fltr/data/click_log.hpp>
#include <fltr/learners/additive_loss.hpp>
#include <fltr/learners/detail/click_steps.hpp>
#include <fltr/learners/learner_workspace.hpp>
#include <fltr/messages/local_weights.hpp>

namespace fltr {

/// The propensities of the log.
struct LoggedPropensities {
  [[nodiscard]] double operator()(auto const&, Impression const& shown) const {
    require(shown.has_propensity(), "LoggedPropensities",
            "a log with propensities (for a log without them use NaiveClicks or PropensityEm)", shown.propensity);
    return static_cast<double>(shown.propensity);
  }
};

/// Unbiased learning from logged clicks by inverse propensity scoring (FedIPS, Li and Ouyang 2022). A click has weight
/// 1 / propensity, where the propensity is the probability that the user examined the document. The expected loss is
/// that of all displayed relevant documents, whatever their positions. Selection bias remains: documents that were
/// never displayed have no influence.
///
/// Requires clients with a log. `P` gives the propensity: `propensity(client, shown)`.
template <AdditiveLoss G = AverageRank, class P = LoggedPropensities>
struct Ips {
  using Message = LocalWeights;
  using Workspace = LearnerWorkspace;
  static constexpr bool shows_lists = false;
  template <class R>
  static constexpr bool trains = DifferentiableRanker<R>;

  float learning_rate = 1e-3F;
  double clip = 0.0;  ///< smallest propensity; smaller ones count as this one, which reduces variance and adds bias
  G loss{};
  P propensity{};

  template <DifferentiableRanker R>
  std::uint32_t train(R& local, HasClickLog auto const& client, auto& session) const {
    require(std::isfinite(learning_rate) && learning_rate >= 0.0F, "Ips", "a finite learning_rate >= 0", learning_rate);
    require(clip >= 0.0 && clip <= 1.0, "Ips", "a clip in [0, 1]", clip);
    return detail::click_steps(local, client, session, learning_rate, loss, [&](Impression const& shown) {
      double const p = std::max(propensity(client, shown), clip);
      require(p > 0.0, "Ips", "a propensity > 0", p);
      return 1.0 / p;
    });
  }
};

}  // namespace fltr
