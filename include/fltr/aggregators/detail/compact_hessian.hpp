#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include <fltr/aggregators/detail/vector_sums.hpp>

namespace fltr::detail {

/// A step of the model and the change of the update along it, both divided by the length of the step. (Hessians of
/// L-BFGS do not depend on such a common factor. With steps of length 1 the matrix below has entries of one scale.)
struct CurvaturePair {
  std::vector<double> step{};    ///< s = (w − w') / ‖w − w'‖
  std::vector<double> change{};  ///< y = (g − g') / ‖w − w'‖
  auto fields(auto&& visit) { return visit(step, change); }
};

/// The Hessian of L-BFGS in the compact form of Byrd, Nocedal and Schnabel (1994, theorem 2.3), for pairs from the
/// oldest to the newest:
///
///   B = σ I − [σ S  Y] M⁻¹ [σ S  Y]ᵀ,   M = [σ SᵀS  L; Lᵀ  −D],   σ = sᵀy / sᵀs of the newest pair.
///
/// D is the diagonal of SᵀY and L its part below the diagonal. M is factored by Gaussian elimination with pivots. If a
/// pivot is below 1e-12 of the largest entry of M, M counts as singular, and the oldest pair is left out until it is
/// not. Without any pair B = 0. B need not be positive: pairs with sᵀy ≤ 0 are used too.
///
/// Cost: N² d for N pairs of d values, and N d per product.
class CompactHessian {
 public:
  /// The pairs must outlive the object.
  explicit CompactHessian(std::span<CurvaturePair const> pairs) : pairs_(pairs) {
    while (!pairs_.empty() && !factor()) pairs_ = pairs_.subspan(1);
  }

  /// The number of pairs that are used.
  [[nodiscard]] std::size_t pairs() const noexcept { return pairs_.size(); }

  /// B v.
  [[nodiscard]] std::vector<double> times(std::span<double const> v) const {
    std::vector<double> out(v.size());
    if (pairs_.empty()) return out;
    std::size_t const n = pairs_.size();
    std::vector<double> x(2 * n);
    for (std::size_t i = 0; i < n; ++i) {
      x[i] = sigma_ * dot(pairs_[i].step, v);
      x[n + i] = dot(pairs_[i].change, v);
    }
    solve(x);
    for (std::size_t k = 0; k < v.size(); ++k) {
      double sum = sigma_ * v[k];
      for (std::size_t i = 0; i < n; ++i) sum -= sigma_ * pairs_[i].step[k] * x[i] + pairs_[i].change[k] * x[n + i];
      out[k] = sum;
    }
    return out;
  }

 private:
  double& at(std::size_t row, std::size_t column) { return matrix_[row * 2 * pairs_.size() + column]; }
  [[nodiscard]] double at(std::size_t row, std::size_t column) const {
    return matrix_[row * 2 * pairs_.size() + column];
  }

  /// Factors M in place, with row exchanges. Returns false if M is singular.
  bool factor() {
    std::size_t const n = pairs_.size();
    std::size_t const size = 2 * n;
    matrix_.assign(size * size, 0.0);
    rows_.assign(size, 0);
    CurvaturePair const& newest = pairs_.back();
    sigma_ = dot(newest.step, newest.change) / dot(newest.step, newest.step);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j <= i; ++j) {
        at(i, j) = at(j, i) = sigma_ * dot(pairs_[i].step, pairs_[j].step);
        double const product = dot(pairs_[i].step, pairs_[j].change);
        if (i == j)
          at(n + i, n + i) = -product;
        else
          at(i, n + j) = at(n + j, i) = product;
      }
    double largest = 0.0;
    for (double const entry : matrix_) largest = std::max(largest, std::abs(entry));
    for (std::size_t c = 0; c < size; ++c) {
      std::size_t pivot = c;
      for (std::size_t r = c + 1; r < size; ++r)
        if (std::abs(at(r, c)) > std::abs(at(pivot, c))) pivot = r;
      if (!(std::abs(at(pivot, c)) > 1e-12 * largest)) return false;
      rows_[c] = pivot;
      for (std::size_t k = 0; k < size; ++k) std::swap(at(c, k), at(pivot, k));
      for (std::size_t r = c + 1; r < size; ++r) {
        double const factor = at(r, c) / at(c, c);
        at(r, c) = factor;
        for (std::size_t k = c + 1; k < size; ++k) at(r, k) -= factor * at(c, k);
      }
    }
    return true;
  }

  /// x ← M⁻¹ x.
  void solve(std::span<double> x) const {
    for (std::size_t c = 0; c < x.size(); ++c) std::swap(x[c], x[rows_[c]]);
    for (std::size_t r = 0; r < x.size(); ++r)
      for (std::size_t k = 0; k < r; ++k) x[r] -= at(r, k) * x[k];
    for (std::size_t r = x.size(); r-- > 0;) {
      for (std::size_t k = r + 1; k < x.size(); ++k) x[r] -= at(r, k) * x[k];
      x[r] /= at(r, r);
    }
  }

  std::span<CurvaturePair const> pairs_;
  double sigma_ = 0.0;
  std::vector<double> matrix_;     // row after row; after `factor` both triangular factors
  std::vector<std::size_t> rows_;  // the row that was exchanged with row c
};

}  // namespace fltr::detail
