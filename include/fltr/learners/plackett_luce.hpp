#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include <fltr/core/exponential.hpp>
#include <fltr/core/random.hpp>
#include <fltr/core/simd.hpp>
#include <fltr/learners/detail/mass_table.hpp>
#include <fltr/learners/learner_workspace.hpp>

namespace fltr {

/// Draws lists from the Plackett-Luce model of the scores of a query: rank by rank, a document with probability
/// proportional to exp(score) among the documents that are not yet placed. Uses the buffers of a LearnerWorkspace.
///
/// The mass of a document is exp(score − highest score) in double, at least exp(−700). All scores that are more than
/// 700 below the highest one have the same mass. NaN and −∞ also have this mass. If a score is +∞, or no score is above
/// −∞, all documents have the same mass, and every order has the same probability.
///
/// Uniform numbers are 2⁻⁵² apart. So a document whose share of the mass is below 2⁻⁵³ comes first with probability 0 or
/// about 2⁻⁵², which depends on its place.
class PlackettLuce {
 public:
  explicit PlackettLuce(LearnerWorkspace& workspace) : workspace_(workspace) {}

  /// Computes the masses of the scores in the workspace.
  void prepare() {
    auto const& scores = workspace_.scores;
    workspace_.masses.resize(scores.size());
    simd::exp_shifted(scores, simd::maximum(scores), workspace_.masses);
  }

  /// Draws min(k, documents) documents and writes them to the workspace's order.
  ///
  /// Documents are drawn with replacement, 16 or 4 at a time, and a document that is already placed is passed over. A
  /// draw that is not yet placed has the distribution of the next rank. Then the placed documents get the mass 0, and the masses are added up anew, not by subtraction: if one document has nearly all
  /// the mass, the difference would consist of rounding errors.
  void sample(std::size_t k, Stream& stream) {
    std::size_t const n = workspace_.masses.size();
    k = std::min(k, n);
    workspace_.order.resize(k);
    unplaced_ = 0.0;
    if (k == 0) return;
    detail::MassTable table(workspace_.masses, workspace_.remaining);
    std::array<double, most_draws> uniforms;
    std::array<std::uint32_t, most_draws> documents;
    std::size_t draws = most_draws;
    std::size_t used = most_draws;
    for (std::size_t placed = 0; placed < k;) {
      table.add_up();
      if (used == most_draws) {
        stream.uniforms(uniforms);
        used = 0;
      }
      std::size_t const fresh = table.draw(std::span(uniforms).subspan(used, draws), documents);
      std::size_t const places = std::min(fresh, k - placed);
      for (std::size_t i = 0; i < places; ++i) {
        workspace_.order[placed + i] = documents[i];
        table.remove(documents[i]);
      }
      placed += places;
      used += draws;
      // With few draws per batch, fewer are wasted if few documents have most of the mass.
      bool const many = used == most_draws && 4 * places > draws && k - placed > few_draws;
      draws = many ? most_draws : few_draws;
    }
    unplaced_ = table.remaining();
  }

  /// Places the min(k, documents) documents with the highest scores, best first: the most probable list.
  void sort(std::size_t k) {
    auto& order = workspace_.order;
    workspace_.top_k(workspace_.scores, k, order);
    workspace_.remaining = workspace_.masses;
    for (std::uint32_t const document : order) workspace_.remaining[document] = 0.0;
    unplaced_ = 0.0;
    for (double const mass : workspace_.remaining) unplaced_ += mass;
  }

  /// The mass of all documents that were not placed.
  [[nodiscard]] double unplaced() const noexcept { return unplaced_; }

 private:
  static constexpr std::size_t most_draws = 16;
  static constexpr std::size_t few_draws = 4;

  LearnerWorkspace& workspace_;
  double unplaced_ = 0.0;
};

}  // namespace fltr
