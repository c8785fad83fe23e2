#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include <fltr/core/random.hpp>
#include <fltr/core/simd.hpp>
#include <fltr/core/workspace.hpp>

namespace fltr {

/// A list drawn from the Plackett-Luce model of a query's scores: document after document, each with probability
/// proportional to exp(score) among those not yet placed. Lives in a Workspace.
///
/// The masses are exp(score − highest score) in double, held above exp(−700): a spread of scores up to 700 is exact,
/// and beyond it documents that hopeless are equally hopeless.
class PlackettLuce {
 public:
  explicit PlackettLuce(Workspace& workspace) : workspace_(workspace) {}

  /// Masses for the scores in the workspace.
  void prepare() {
    auto const& scores = workspace_.scores;
    workspace_.masses.resize(scores.size());
    simd::exp_shifted(scores, simd::maximum(scores), workspace_.masses);
  }

  /// Draws min(k, documents) documents into the workspace's order. Sums of blocks are computed anew when a document has
  /// left, never by subtraction: when one document holds nearly all the mass, a difference would be nothing but
  /// rounding.
  void sample(std::size_t k, Stream& stream) {
    auto& left = workspace_.remaining;
    std::size_t const n = workspace_.masses.size();
    k = std::min(k, n);
    std::size_t const blocks = (n + block - 1) / block;
    left.resize(blocks * block + blocks);
    std::copy_n(workspace_.masses.begin(), n, left.begin());
    std::fill(left.begin() + static_cast<std::ptrdiff_t>(n), left.end(), 0.0);
    std::span<double> const sums = std::span(left).subspan(blocks * block);
    for (std::size_t b = 0; b < blocks; ++b) sums[b] = block_sum(&left[b * block]);

    workspace_.order.resize(k);
    for (std::size_t rank = 0; rank < k; ++rank) {
      double total = 0.0;
      for (double s : sums) total += s;
      std::size_t const document = pick(left, sums, stream.uniform() * total);
      workspace_.order[rank] = static_cast<std::uint32_t>(document);
      left[document] = 0.0;
      sums[document / block] = block_sum(&left[document / block * block]);
    }
    unplaced_ = 0.0;
    for (double s : sums) unplaced_ += s;
  }

  /// The mass of all documents that were not placed.
  [[nodiscard]] double unplaced() const noexcept { return unplaced_; }

 private:
  static constexpr std::size_t block = 8;

  static double block_sum(double const* v) { return ((v[0] + v[4]) + (v[2] + v[6])) + ((v[1] + v[5]) + (v[3] + v[7])); }

  /// The document at `target` in the cumulated masses that are left. Where rounding carries the target past the end,
  /// the last document with any mass.
  static std::size_t pick(std::span<double const> left, std::span<double const> sums, double target) {
    std::size_t b = 0;
    while (b + 1 < sums.size() && target >= sums[b]) target -= sums[b++];
    while (b > 0 && !(sums[b] > 0.0)) --b;
    std::size_t const first = b * block;
    std::size_t i = first;
    while (i + 1 < first + block && target >= left[i]) target -= left[i++];
    while (i > first && !(left[i] > 0.0)) --i;
    while (!(left[i] > 0.0)) ++i;
    return i;
  }

  Workspace& workspace_;
  double unplaced_ = 0.0;
};

}  // namespace fltr
