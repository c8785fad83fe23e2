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

  [[nodiscard]] friend bool operator==(PrivacySum const&, PrivacySum const&) = default;
  [[nodiscard]] friend auto operator<=>(PrivacySum const&, PrivacySum const&) = default;
  auto fields(auto&& visit) { return visit(epsilon, delta, rho, rdp); }
};

}  // namespace fltr
