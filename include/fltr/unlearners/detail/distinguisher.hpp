#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <fltr/core/compiler.hpp>

namespace fltr::detail {

/// What a Distinguisher looks at: the weights of a model, their direction, or their length alone.
enum class ModelView : std::uint8_t { weights, direction, length };

[[nodiscard]] inline std::vector<double> seen(ModelView view, std::span<float const> model) {
  double squares = 0.0;
  for (float const weight : model) squares += static_cast<double>(weight) * static_cast<double>(weight);
  double const length = std::sqrt(squares);
  if (view == ModelView::length) return {length};
  std::vector<double> out(model.begin(), model.end());
  if (view == ModelView::direction && length > 0.0)
    for (double& value : out) value /= length;
  return out;
}

/// Solves A x = y for a symmetric positive definite matrix by Cholesky's method. `matrix`: n × n, its lower triangle is
/// overwritten.
inline void solve_positive(std::vector<double>& matrix, std::vector<double>& x) {
  std::size_t const n = x.size();
  auto const at = [&](std::size_t i, std::size_t j) -> double& { return matrix[i * n + j]; };
  for (std::size_t j = 0; j < n; ++j) {
    for (std::size_t i = j; i < n; ++i) {
      double sum = at(i, j);
      for (std::size_t k = 0; k < j; ++k) sum -= at(i, k) * at(j, k);
      at(i, j) = i == j ? std::sqrt(sum) : sum / at(j, j);
    }
    for (std::size_t k = 0; k < j; ++k) x[j] -= at(j, k) * x[k];
    x[j] /= at(j, j);
  }
  for (std::size_t j = n; j-- > 0;) {
    for (std::size_t k = j + 1; k < n; ++k) x[j] -= at(k, j) * x[k];
    x[j] /= at(j, j);
  }
}

/// A linear rule that tells the models of two worlds apart: ridge regression of ±1 on the standardized numbers that it
/// sees. It is computed in its dual form, so that its cost grows with the number of models and not with the number of
/// weights squared.
class Distinguisher {
 public:
  using Models = std::span<std::vector<float> const>;

  /// Requires as many models of the second world as of the first, at least one, all of one size.
  Distinguisher(Models first, Models second, ModelView view, double ridge) : view_(view) {
    std::vector<std::vector<double>> rows;
    for (auto const& model : first) rows.push_back(seen(view, model));
    for (auto const& model : second) rows.push_back(seen(view, model));
    std::size_t const n = rows.size();
    std::size_t const width = rows.front().size();
    centre_.assign(width, 0.0);
    weights_.assign(width, 0.0);
    std::vector<double> scale(width, 0.0);
    for (std::size_t k = 0; k < width; ++k) {
      for (auto const& row : rows) centre_[k] += row[k] / static_cast<double>(n);
      double squares = 0.0;
      for (auto const& row : rows) squares += (row[k] - centre_[k]) * (row[k] - centre_[k]);
      if (squares > 0.0) scale[k] = 1.0 / std::sqrt(squares / static_cast<double>(n));
      for (auto& row : rows) row[k] = (row[k] - centre_[k]) * scale[k];
    }
    std::vector<double> products(n * n);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j <= i; ++j)
        for (std::size_t k = 0; k < width; ++k) products[i * n + j] += rows[i][k] * rows[j][k];
    for (std::size_t i = 0; i < n; ++i) products[i * n + i] += ridge * static_cast<double>(width);
    std::vector<double> factors(n);
    for (std::size_t i = 0; i < n; ++i) factors[i] = i < first.size() ? -1.0 : 1.0;
    solve_positive(products, factors);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t k = 0; k < width; ++k) weights_[k] += factors[i] * rows[i][k] * scale[k];
  }

  /// Whether a model seems to be of the second world.
  [[nodiscard]] bool is_second(std::span<float const> model) const {
    std::vector<double> const values = seen(view_, model);
    double sum = 0.0;
    for (std::size_t k = 0; k < values.size(); ++k) sum += weights_[k] * (values[k] - centre_[k]);
    return sum > 0.0;
  }

 private:
  ModelView view_;
  std::vector<double> centre_;
  std::vector<double> weights_;
};

}  // namespace fltr::detail
