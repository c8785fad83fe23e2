#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <fltr/concepts/renyi_orders.hpp>
#include <fltr/core/exponential.hpp>
#include <fltr/core/logarithm.hpp>

namespace fltr {

/// The largest Rényi divergence of order α > 1 of an ε-private mechanism. It is that of randomised response with two
/// answers. Rounding errors are added, so that the result is an upper bound; it is at most α ε²/2 and at most ε.
[[nodiscard]] inline double pure_renyi(double order, double epsilon) {
  double const limit = std::min(epsilon, order * epsilon * epsilon / 2.0);
  if (!(limit > 0.0 && limit < std::numeric_limits<double>::infinity())) return limit;
  double const lost = math::log1p(math::exp(-epsilon)) - math::log1p(math::exp(-(2.0 * order - 1.0) * epsilon));
  return std::min(limit, epsilon - (lost - 0x1p-50) / (order - 1.0));
}

/// The privacy loss of one round for a client that took part in it, or of all rounds so far. The unit is one client,
/// and neighbours replace the data of one client (replace-one).
///
/// A mechanism states each bound that it can prove. A mechanism without a bound of the form (ε, δ) sets
/// `epsilon_accounted` to infinity, also if it states `rho` or `rdp`; if it states neither, `reason` says why.
///
/// A loss of all rounds has only the smallest bound for the δ of the run, and its name. That bound holds if the number of
/// rounds does not depend on what they released: it was fixed in advance, or a budget ended the run. A run with a budget
/// has the budget as its ε at every stop. For a run that was stopped by looking at its models, `epsilon_any_stop` holds,
/// with the δ of the run: it is larger, and holds after all rounds at once.
struct PrivacyLoss {
  double epsilon_nominal = 0.0;    ///< as the paper of the mechanism computes it
  double epsilon_accounted = 0.0;  ///< the proven bound: ε of ε-privacy if `delta` is 0, otherwise of (ε, δ)-privacy
  double delta = 0.0;
  std::string assumption{};                              ///< on which the bounds depend; empty: none
  std::string reason{};                                  ///< why `epsilon_accounted` is infinite
  double rho = std::numeric_limits<double>::infinity();  ///< of ρ-zCDP; infinity: none stated
  std::vector<double> rdp{};  ///< Rényi divergence at each of `renyi_orders`; empty: none stated
  std::string bound{};        ///< of a loss of all rounds: the name of the bound that `epsilon_accounted` is
  double epsilon_any_stop = std::numeric_limits<double>::infinity();  ///< of a loss of all rounds, see above

  /// The smallest known ρ of zCDP: `rho`, or ε²/2 of a pure ε. Infinity: none known.
  [[nodiscard]] double zcdp() const {
    double const pure = delta == 0.0 ? epsilon_accounted * epsilon_accounted / 2.0 : rho;
    return std::min(rho, pure);
  }

  /// The Rényi divergence at each of `renyi_orders`: stated, or the smaller one by ρ and by a pure ε. Empty: none known.
  [[nodiscard]] std::vector<double> renyi() const {
    constexpr double none = std::numeric_limits<double>::infinity();
    if (!rdp.empty()) return rdp;
    bool const pure = delta == 0.0 && epsilon_accounted < none;
    if (!pure && !(rho < none)) return {};
    std::vector<double> out(renyi_orders.size(), none);
    for (std::size_t i = 0; i < out.size(); ++i) {
      if (rho < none) out[i] = std::min(out[i], rho * renyi_orders[i]);
      if (pure && !(out[i] <= 0.0)) out[i] = std::min(out[i], pure_renyi(renyi_orders[i], epsilon_accounted));
    }
    return out;
  }

  /// Takes all bounds away, for this reason. A reason that was there before stays.
  void unbound(std::string const& why) {
    epsilon_accounted = std::numeric_limits<double>::infinity();
    rho = std::numeric_limits<double>::infinity();
    rdp.clear();
    reason += (reason.empty() ? "" : "; ") + why;
  }

  /// Composition of two losses of the same client, each bound with its like. Keeps all assumptions and the first reason.
  PrivacyLoss& operator+=(PrivacyLoss const& other) {
    double const both_rho = zcdp() + other.zcdp();
    if (!rdp.empty() || !other.rdp.empty()) {
      auto both = renyi();
      auto const more = other.renyi();
      if (both.empty() || more.empty()) both.clear();
      for (std::size_t i = 0; i < both.size(); ++i) both[i] += more[i];
      rdp = std::move(both);
    }
    rho = both_rho;
    epsilon_nominal += other.epsilon_nominal;
    epsilon_accounted += other.epsilon_accounted;
    delta += other.delta;
    if (assumption.find(other.assumption) == std::string::npos)
      assumption += (assumption.empty() ? "" : "; ") + other.assumption;
    if (reason.empty()) reason = other.reason;
    return *this;
  }
  auto fields(auto&& visit) {
    return visit(epsilon_nominal, epsilon_accounted, delta, assumption, reason, rho, rdp, bound, epsilon_any_stop);
  }
};

}  // namespace fltr
