#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fltr/concepts/ranker.hpp>
#include <fltr/core/error.hpp>
#include <fltr/core/random.hpp>
#include <fltr/core/simd.hpp>
#include <fltr/data/query_view.hpp>
#include <fltr/rankers/initialization.hpp>

namespace fltr {

/// A linear ranker: score(d) = ⟨w, d⟩. There is no bias, because a constant does not change a ranking.
class LinearRanker {
 public:
  static constexpr std::string_view model_name = "linear";

  LinearRanker() = default;
  explicit LinearRanker(std::size_t features, Initialization start = Initialization::zero)
      : start_(start), weights_(features) {}
  explicit LinearRanker(std::vector<float> weights) : weights_(std::move(weights)) {}

  [[nodiscard]] std::size_t feature_count() const noexcept { return weights_.size(); }

  void score(QueryView query, std::span<float> scores) const {
    if (query.feature_count() != weights_.size()) [[unlikely]]
      throw_requirement("LinearRanker", std::to_string(weights_.size()) + " features", query.feature_count());
    simd::dot_rows(weights_, query.rows(), query.stride(), scores);
  }

  [[nodiscard]] std::span<float> parameters() & noexcept { return weights_; }
  [[nodiscard]] std::span<float const> parameters() const& noexcept { return weights_; }
  [[nodiscard]] std::vector<float> parameters() const&& { return weights_; }

  /// gradient += Σ_i score_gradient_i · d_i.
  void backward(QueryView query, std::span<float const> score_gradient, std::span<float> gradient) const {
    // Only few documents, the displayed ones, have a score_gradient other than 0. They are collected without a branch,
    // which would be mispredicted often.
    constexpr std::size_t group = 64;
    std::array<float, group> factors;
    std::array<float const*, group> rows;
    for (std::size_t first = 0; first < score_gradient.size(); first += group) {
      std::size_t n = 0;
      for (std::size_t i = first; i < std::min(score_gradient.size(), first + group); ++i) {
        factors[n] = score_gradient[i];
        rows[n] = query.rows() + i * query.stride();
        n += score_gradient[i] != 0.0F ? 1U : 0U;
      }
      if (n > 0) simd::add_rows(std::span(factors).first(n), std::span(rows).first(n), gradient);
    }
  }

  /// Draws random weights for Initialization::random. The weights of a trained ranker (not all 0) stay.
  void initialize(Stream& stream) {
    if (start_ != Initialization::random || std::ranges::any_of(weights_, [](float w) { return w != 0.0F; })) return;
    double squares = 0.0;
    for (float& w : weights_) {
      w = static_cast<float>(stream.normal());
      squares += static_cast<double>(w) * static_cast<double>(w);
    }
    if (squares > 0.0)
      for (float& w : weights_) w = static_cast<float>(0.01 * static_cast<double>(w) / std::sqrt(squares));
  }

  auto fields(auto&& visit) { return visit(weights_); }

 private:
  Initialization start_ = Initialization::zero;
  std::vector<float> weights_;  // last: without padding at the end, derived rankers inherit `fields` (see HasFields)
};
static_assert(DifferentiableRanker<LinearRanker>);

}  // namespace fltr
