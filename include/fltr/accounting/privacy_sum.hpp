#pragma once

#include <algorithm>
#include <compare>
#include <cstddef>
#include <limits>
#include <string_view>
#include <vector>

#include <fltr/accounting/concentrated.hpp>
#include <fltr/concepts/privacy_loss.hpp>
#include <fltr/concepts/renyi_orders.hpp>
#include <fltr/core/error.hpp>
#include <fltr/core/exponential.hpp>
#include <fltr/core/logarithm.hpp>

namespace fltr {

/// A bound on the privacy loss of several rounds: (ε, δ) and its name.
struct PrivacyBound {
  double epsilon = std::numeric_limits<double>::infinity();
  double delta = 0.0;
  std::string_view name{};  ///< "sum of epsilons", "Renyi divergence" or "zCDP"; empty: there is no bound
};

/// The δ for which bounds are computed, with what the Rényi conversion needs at each order.
class BoundsAt {
 public:
  /// δ in [0, 1). For 0 only pure bounds hold.
  explicit BoundsAt(double delta) : delta_(delta) {
    require(delta >= 0.0 && delta < 1.0, "BoundsAt", "a delta in [0, 1)", delta);
    if (delta == 0.0) return;
    double const log_delta = math::log(delta);
    offsets_.resize(renyi_orders.size());
    for (std::size_t i = 0; i < offsets_.size(); ++i) offsets_[i] = table()[i] - log_delta / (renyi_orders[i] - 1.0);
  }
  [[nodiscard]] double delta() const noexcept { return delta_; }
  /// ε = D + offset, see renyi_epsilon. Empty for δ = 0.
  [[nodiscard]] std::vector<double> const& offsets() const& noexcept { return offsets_; }

  /// The logarithms of weights w of the orders with the sum 1, see PrivacySum::epsilon_at_any_stop. Every factor of
  /// α − 1 has the same weight.
  [[nodiscard]] static std::vector<double> const& log_weights() {
    static std::vector<double> const values = [] {
      std::size_t const n = renyi_orders.size();
      auto const place = [](std::size_t i) { return math::log(renyi_orders[i] - 1.0); };
      std::vector<double> out;
      for (std::size_t i = 0; i < n; ++i)  // half of the way to the neighbours on both sides
        out.push_back(
            math::log((place(std::min(i + 1, n - 1)) - place(i == 0 ? 0 : i - 1)) / 2.0 / (place(n - 1) - place(0))));
      return out;
    }();
    return values;
  }

 private:
  /// The part of the offsets that does not depend on δ.
  [[nodiscard]] static std::vector<double> const& table() {
    static std::vector<double> const values = [] {
      std::vector<double> out;
      for (double const a : renyi_orders) out.push_back(math::log1p(-1.0 / a) - math::log(a) / (a - 1.0));
      return out;
    }();
    return values;
  }

  double delta_;
  std::vector<double> offsets_;
};

/// What the same rounds cost one client, in each kind of bound. The rounds may have different mechanisms and prices.
struct PrivacySum {
  double epsilon = 0.0;                                                ///< sum of the rounds' ε
  double delta = 0.0;                                                  ///< sum of the rounds' δ
  double rho = 0.0;                                                    ///< of zCDP
  std::vector<double> rdp = std::vector<double>(renyi_orders.size());  ///< empty: not known

  /// Throws std::invalid_argument if a part of the loss is negative or NaN.
  [[nodiscard]] static PrivacySum of(PrivacyLoss const& loss) {
    require(loss.epsilon_accounted >= 0.0, "PrivacyLoss", "an epsilon_accounted >= 0", loss.epsilon_accounted);
    require(loss.delta >= 0.0, "PrivacyLoss", "a delta >= 0", loss.delta);
    require(loss.rho >= 0.0, "PrivacyLoss", "a rho >= 0", loss.rho);
    require(loss.rdp.empty() || loss.rdp.size() == renyi_orders.size(), "PrivacyLoss",
            "a divergence for each of renyi_orders", loss.rdp.size());
    for (double const d : loss.rdp) require(d >= 0.0, "PrivacyLoss", "divergences >= 0", d);
    return {loss.epsilon_accounted, loss.delta, loss.zcdp(), loss.renyi()};
  }

  PrivacySum& operator+=(PrivacySum const& other) {
    epsilon += other.epsilon;
    delta += other.delta;
    rho += other.rho;
    if (other.rdp.empty()) rdp.clear();
    for (std::size_t i = 0; i < rdp.size(); ++i) rdp[i] += other.rdp[i];
    return *this;
  }

  /// The smallest valid bound. The sum of ε is valid if the sum of δ is at most the δ asked for.
  [[nodiscard]] PrivacyBound bound(BoundsAt const& at) const {
    PrivacyBound best;
    if (at.delta() > 0.0) {
      if (rho < best.epsilon) best = {zcdp_epsilon(rho, at.delta()), at.delta(), "zCDP"};
      double renyi = best.epsilon;
      for (std::size_t i = 0; i < rdp.size(); ++i) renyi = std::min(renyi, rdp[i] + at.offsets()[i]);
      renyi = std::max(renyi, 0.0);
      if (renyi < best.epsilon) best = {renyi, at.delta(), "Renyi divergence"};
    }
    if (delta <= at.delta() && epsilon < std::numeric_limits<double>::infinity() && epsilon <= best.epsilon)
      best = {epsilon, delta, "sum of epsilons"};
    return best;
  }

  /// The smallest ε that holds with the δ at every stop at once, so also for a run that was stopped by looking at what it
  /// released. The mechanism and the price of a round may depend on what the rounds before released. `bound` holds for
  /// rounds and a number of them that do not depend on that. Infinity: there is none.
  ///
  /// For each order α, exp((α − 1)(L − D_α)) of the privacy loss L and the divergences so far never rises in
  /// expectation: given the rounds before, the mean of exp((α − 1)ℓ) of the next loss ℓ is at most exp((α − 1)d), where d
  /// is its divergence, which is known before the round. Neither does its mean with weights w_α, which are fixed. With probability 1 − δ/2 it
  /// is below 2/δ at all times (Ville; Whitehouse et al. 2023): ε is the loss at which Σ_α w_α exp((α − 1)(ε − D_α)) =
  /// 2/δ. The other half of δ is for the rounds' δ, with which the sum of ε holds at any stop (Rogers et al. 2016).
  [[nodiscard]] double epsilon_at_any_stop(BoundsAt const& at) const {
    constexpr double none = std::numeric_limits<double>::infinity();
    double const half = at.delta() / 2.0;
    double const sum = delta <= half ? epsilon : none;
    if (!(half > 0.0) || rdp.empty()) return sum;
    auto const& log_weights = BoundsAt::log_weights();
    double const limit = -math::log(half);
    double bound = none;  // each order alone gives a larger one
    for (std::size_t i = 0; i < rdp.size(); ++i)
      bound = std::min(bound, rdp[i] + (limit - log_weights[i]) / (renyi_orders[i] - 1.0));
    if (!(bound < none)) return sum;
    // The logarithm of the mean is convex and rises, so Newton's steps come down to the solution and not below it.
    for (int step = 0; step < 20; ++step) {
      double largest = -none;
      for (std::size_t i = 0; i < rdp.size(); ++i)
        largest = std::max(largest, log_weights[i] + (renyi_orders[i] - 1.0) * (bound - rdp[i]));
      double mean = 0.0;
      double slope = 0.0;
      for (std::size_t i = 0; i < rdp.size(); ++i) {
        double const power = log_weights[i] + (renyi_orders[i] - 1.0) * (bound - rdp[i]) - largest;
        if (!(power > -50.0)) continue;  // leaves out less than 1e-19 of the mean, which makes the bound larger
        double const part = math::exp(power);
        mean += part;
        slope += part * (renyi_orders[i] - 1.0);
      }
      double const down = (largest + math::log(mean) - limit) * mean / slope;
      if (!(down > 1e-12 * bound)) break;
      bound -= down;
    }
    return std::min(sum, std::max(bound, 0.0));
  }

  [[nodiscard]] friend bool operator==(PrivacySum const&, PrivacySum const&) = default;
  [[nodiscard]] friend auto operator<=>(PrivacySum const&, PrivacySum const&) = default;
  auto fields(auto&& visit) { return visit(epsilon, delta, rho, rdp); }
};

}  // namespace fltr
