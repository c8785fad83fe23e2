#pragma once

#include <algorithm>
#include <cmath>

#include <fltr/concepts/learner.hpp>
#include <fltr/concepts/ranker.hpp>
#include <fltr/core/error.hpp>
#include <fltr/data/click_log.hpp>
#include <fltr/learners/click_steps.hpp>

namespace fltr {

/// Propensities as they stand in the log.
struct LoggedPropensities {
  [[nodiscard]] double operator()(auto const&, Shown const& shown) const {
    require(shown.has_propensity(), "LoggedPropensities",
            "a log with propensities (without them: NaiveClicks, or PropensityEm to estimate them)", shown.propensity);
    return static_cast<double>(shown.propensity);
  }
};

/// Unbiased learning from logged clicks (FedIPS, Li and Ouyang 2022): a click counts 1 / propensity, the more the less
/// likely it was that the user looked there. In expectation the loss is that of every displayed document that users
/// like, wherever it stood. Documents that were never displayed stay unknown: selection bias is not undone.
///
/// Needs clients with a log. `P` says how likely a document was looked at: `propensity(client, shown)`.
template <AdditiveLoss G = AverageRank, class P = LoggedPropensities>
struct Ips {
  using Message = LocalWeights;
  static constexpr bool shows_lists = false;
  template <class R>
  static constexpr bool trains = DifferentiableRanker<R>;

  float learning_rate = 1e-3F;
  double clip = 0.0;  ///< smaller propensities count as this one: less variance, some bias
  G loss{};
  P propensity{};

  template <DifferentiableRanker R>
  std::uint32_t train(R& local, HasClickLog auto const& client, auto& session) const {
    require(std::isfinite(learning_rate) && learning_rate >= 0.0F, "Ips", "a finite learning_rate >= 0", learning_rate);
    require(clip >= 0.0 && clip <= 1.0, "Ips", "a clip in [0, 1]", clip);
    return click_steps(local, client, session, learning_rate, loss, [&](Shown const& shown) {
      double const p = std::max(propensity(client, shown), clip);
      require(p > 0.0, "Ips", "a propensity > 0", p);
      return 1.0 / p;
    });
  }
};

}  // namespace fltr
