#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include <fltr/core/exponential.hpp>
#include <fltr/core/lane_sum.hpp>
#include <fltr/core/random.hpp>
#include <fltr/core/simd.hpp>
#include <fltr/learners/learner_workspace.hpp>

namespace fltr {

/// Draws lists from the Plackett-Luce model of the scores of a query: rank by rank, a document with probability
/// proportional to exp(score) among the documents that are not yet placed. Uses the buffers of a LearnerWorkspace.
///
/// The mass of a document is exp(score − highest score) in double, at least exp(−700). All scores that are more than
/// 700 below the highest one have the same mass.
class PlackettLuce {
 public:
  explicit PlackettLuce(LearnerWorkspace& workspace) : workspace_(workspace) {}

  /// Computes the masses of the scores in the workspace.
  void prepare() {
    auto const& scores = workspace_.scores;
    workspace_.masses.resize(scores.size());
    simd::exp_shifted(scores, simd::maximum(scores), workspace_.masses);
  }

  /// Draws min(k, documents) documents and writes them to the workspace's order. After a document was drawn, the sum of
  /// its block is computed anew, not by subtraction: if one document has nearly all the mass, the difference would
  /// consist of rounding errors.
  void sample(std::size_t k, Stream& stream) {
    auto& left = workspace_.remaining;
    std::size_t const n = workspace_.masses.size();
    k = std::min(k, n);
    std::size_t const blocks = (n + block - 1) / block;
    left.resize(blocks * block + 2 * blocks);
    std::copy_n(workspace_.masses.begin(), n, left.begin());
    std::fill(left.begin() + static_cast<std::ptrdiff_t>(n), left.begin() + static_cast<std::ptrdiff_t>(blocks * block),
              0.0);
    std::span<double> const sums = std::span(left).subspan(blocks * block, blocks);
    std::span<double> const upto = std::span(left).subspan(blocks * block + blocks, blocks);
    for (std::size_t b = 0; b < blocks; ++b) sums[b] = simd::lane_sum(&left[b * block]);

    workspace_.order.resize(k);
    for (std::size_t rank = 0; rank < k; ++rank) {
      double const total = add_up(sums, upto);
      std::size_t const document = pick(left, sums, upto, stream.uniform() * total);
      workspace_.order[rank] = static_cast<std::uint32_t>(document);
      left[document] = 0.0;
      sums[document / block] = simd::lane_sum(&left[document / block * block]);
    }
    unplaced_ = add_up(sums, upto);
  }

  /// The mass of all documents that were not placed.
  [[nodiscard]] double unplaced() const noexcept { return unplaced_; }

 private:
  static constexpr std::size_t block = simd::lanes;

  /// upto_b = Σ_{c ≤ b} sums_c; returns the last one.
  static double add_up(std::span<double const> sums, std::span<double> upto) {
    double total = 0.0;
    for (std::size_t b = 0; b < sums.size(); ++b) upto[b] = total += sums[b];
    return total;
  }

  /// The document at `target` in the cumulative masses of the remaining documents. It counts instead of searching: the
  /// end of a search is random, and a mispredicted branch costs more time than the additions.
  static std::size_t pick(std::span<double const> left, std::span<double const> sums, std::span<double const> upto,
                          double target) {
    std::size_t b = 0;
    for (double sum : upto) b += target >= sum ? 1 : 0;
    if (b >= sums.size() || !(sums[b] > 0.0)) [[unlikely]]
      b = last_with_mass(sums);  // rounding moved the target past the end
    double const* const v = &left[b * block];
    target -= b > 0 ? upto[b - 1] : 0.0;
    std::size_t i = 0;
    double sum = 0.0;
    for (std::size_t k = 0; k < block; ++k) {
      sum += v[k];
      i += target >= sum ? 1 : 0;
    }
    if (i >= block || !(v[i] > 0.0)) [[unlikely]]
      i = last_with_mass({v, block});
    return b * block + i;
  }

  static std::size_t last_with_mass(std::span<double const> masses) {
    std::size_t i = masses.size() - 1;
    while (i > 0 && !(masses[i] > 0.0)) --i;
    return i;
  }

  LearnerWorkspace& workspace_;
  double unplaced_ = 0.0;
};

}  // namespace fltr
