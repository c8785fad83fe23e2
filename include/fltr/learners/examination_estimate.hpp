#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include <fltr/core/compiler.hpp>

namespace fltr {

/// A client's estimate of θ, the probability that its user examines each position. The numbers of displayed and clicked
/// documents are kept by position and by predicted relevance in 8 steps, so that θ can be estimated again from all
/// rounds.
struct ExaminationEstimate {
  /// The documents at one position in one step of predicted relevance.
  struct Cell {
    double shown = 0.0;
    double clicks = 0.0;
    double relevance = 0.0;  ///< sum of the predicted relevance
    auto fields(auto&& visit) { return visit(shown, clicks, relevance); }
  };
  static constexpr std::size_t steps = 8;  ///< of the predicted relevance

  std::vector<Cell> cells;     ///< `steps` for each position; older rounds count less
  std::vector<double> thetas;  ///< P(examined) by position
  double intercept = 0.0;      ///< b of the relevance model, of this user

  /// θ of a position; 0.5 before a document was displayed there.
  [[nodiscard]] double theta(std::size_t position) const {
    return position <= thetas.size() ? thetas[position - 1] : 0.5;
  }
  /// The propensity of a position divided by that of the first position, in (0, 1]. Clicks do not determine more:
  /// doubling every propensity and halving every relevance gives the same click probabilities.
  [[nodiscard]] double propensity(std::size_t position) const { return std::min(1.0, theta(position) / theta(1)); }

  /// Multiplies the counts of earlier rounds by `memory`.
  void forget(double memory) {
    for (Cell& cell : cells) {
      cell.shown *= memory;
      cell.clicks *= memory;
      cell.relevance *= memory;
    }
  }

  /// Adds documents that were displayed at a position.
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

  /// Repeats E- and M-steps until θ changes by less than 0.01 %: θ ← mean of P(examined), with one additional document
  /// of P(examined) = ½.
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

}  // namespace fltr
