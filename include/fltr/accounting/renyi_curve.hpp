#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fltr/accounting/laplace_renyi.hpp>
#include <fltr/accounting/renyi_conversion.hpp>
#include <fltr/accounting/response_renyi.hpp>
#include <fltr/accounting/sampled_gaussian_renyi.hpp>
#include <fltr/concepts/privacy_loss.hpp>
#include <fltr/concepts/renyi_orders.hpp>
#include <fltr/core/error.hpp>

namespace fltr {

/// Which two data sets are neighbours.
enum class Adjacency : std::uint8_t {
  replace_one,        ///< the data of one client is replaced: the unit of a federation's ledger
  add_or_remove_one,  ///< one client is added or removed
};

/// The Rényi divergences of a mechanism at several orders: one row of a privacy account outside a federation, for
/// planning noise and for comparing mechanisms. Rows with different adjacency cannot be added.
///
///     auto account = RenyiCurve::gaussian(2.0 * clip, sigma).times(200);
///     account += RenyiCurve::laplace(0.1).times(10);
///     double const epsilon = account.epsilon(1e-5).value;
struct RenyiCurve {
  std::string mechanism;
  Adjacency adjacency = Adjacency::replace_one;
  std::vector<double> orders;
  std::vector<double> divergences;

  /// `divergence(order)` at each order.
  template <class Divergence>
  [[nodiscard]] static RenyiCurve of(std::string mechanism, Adjacency adjacency, Divergence const& divergence,
                                     std::span<double const> orders = renyi_orders) {
    RenyiCurve out{std::move(mechanism), adjacency, {orders.begin(), orders.end()}, {}};
    for (double const order : orders) out.divergences.push_back(divergence(order));
    return out;
  }
  /// Gaussian noise of standard deviation `sigma` for a shift of L2 norm `shift` (replace-one with an update clipped at
  /// S: 2S).
  [[nodiscard]] static RenyiCurve gaussian(double shift, double sigma, std::span<double const> orders = renyi_orders) {
    return of(
        "Gaussian", Adjacency::replace_one, [=](double a) { return a * (shift / sigma) * (shift / sigma) / 2.0; },
        orders);
  }
  /// Laplace noise for an L1 sensitivity of ε noise scales.
  [[nodiscard]] static RenyiCurve laplace(double epsilon, std::span<double const> orders = renyi_orders) {
    return of("Laplace", Adjacency::replace_one, [=](double a) { return laplace_renyi(a, epsilon); }, orders);
  }
  /// Any ε-private mechanism.
  [[nodiscard]] static RenyiCurve pure(double epsilon, std::span<double const> orders = renyi_orders) {
    return of("pure", Adjacency::replace_one, [=](double a) { return pure_renyi(a, epsilon); }, orders);
  }
  /// Randomised response with n answers.
  [[nodiscard]] static RenyiCurve response(double keep, std::size_t answers,
                                           std::span<double const> orders = renyi_orders) {
    return of(
        "randomised response", Adjacency::replace_one, [=](double a) { return response_renyi(a, keep, answers); },
        orders);
  }
  /// Gaussian noise with Poisson sampling; `sigma` in units of the sensitivity for adding one client. See
  /// sampled_gaussian_renyi: it does not hold against the server that draws the sample.
  [[nodiscard]] static RenyiCurve sampled_gaussian(double rate, double sigma, Adjacency adjacency,
                                                   std::span<double const> orders = renyi_orders) {
    if (adjacency == Adjacency::replace_one)
      return of(
          "sampled Gaussian, substitution bound", adjacency,
          [=](double a) { return replaced_sampled_gaussian_renyi(a, rate, sigma); }, orders);
    return of("sampled Gaussian", adjacency, [=](double a) { return sampled_gaussian_renyi(a, rate, sigma); }, orders);
  }

  /// The same mechanism in each of `count` rounds.
  [[nodiscard]] RenyiCurve times(std::uint64_t count) const {
    RenyiCurve out = *this;
    for (double& d : out.divergences) d = count == 0 ? 0.0 : d * static_cast<double>(count);
    return out;
  }
  RenyiCurve& operator+=(RenyiCurve const& other) {
    require(adjacency == other.adjacency, "RenyiCurve", "rows of the same adjacency",
            other.adjacency == Adjacency::replace_one ? "replace-one" : "add-or-remove-one");
    require(orders == other.orders, "RenyiCurve", "rows of the same orders", other.orders.size());
    if (mechanism != other.mechanism) mechanism += " + " + other.mechanism;
    for (std::size_t i = 0; i < orders.size(); ++i) divergences[i] += other.divergences[i];
    return *this;
  }

  /// ε(δ), with the order that gives it.
  [[nodiscard]] RenyiBound epsilon(double delta) const { return renyi_epsilon(orders, divergences, delta); }
  /// δ(ε), with the order that gives it.
  [[nodiscard]] RenyiBound delta(double epsilon) const { return renyi_delta(orders, divergences, epsilon); }
};

}  // namespace fltr
