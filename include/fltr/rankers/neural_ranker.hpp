#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fltr/concepts/ranker.hpp>
#include <fltr/core/error.hpp>
#include <fltr/core/native_vector.hpp>
#include <fltr/core/random.hpp>
#include <fltr/core/sigmoid.hpp>
#include <fltr/core/simd.hpp>
#include <fltr/data/query_view.hpp>
#include <fltr/rankers/initialization.hpp>

namespace fltr {

enum class Activation : std::uint8_t { sigmoid, relu };

struct NeuralOptions {
  std::size_t hidden = 64;
  Activation activation = Activation::sigmoid;
  /// With zero weights all hidden units have the same gradient, so only evolution strategies can train from there.
  Initialization start = Initialization::random;
};

/// A neural network with one hidden layer: score(d) = ⟨v, φ(W d + b)⟩, without a bias at the output. The parameters are
/// W row by row, then b, then v: the output layer is last.
class NeuralRanker {
 public:
  static constexpr std::string_view model_name = "neural";

  NeuralRanker() = default;
  explicit NeuralRanker(std::size_t features, NeuralOptions options = {})
      : features_(features),
        hidden_(options.hidden),
        activation_(static_cast<std::uint8_t>(options.activation)),
        start_(options.start),
        parameters_(options.hidden * (features + 2)) {
    require(options.hidden > 0, "NeuralRanker", "at least one hidden unit", options.hidden);
  }

  [[nodiscard]] std::size_t feature_count() const noexcept { return features_; }
  [[nodiscard]] std::size_t hidden_count() const noexcept { return hidden_; }

  void score(QueryView query, std::span<float> scores) const {
    if (query.feature_count() != features_) [[unlikely]]
      throw_requirement("NeuralRanker", std::to_string(features_) + " features", query.feature_count());
    std::array<float const*, block> rows;
    std::array<float, block_values> active;
    for (std::size_t first = 0; first < scores.size(); first += block) {
      std::size_t const n = std::min(block, scores.size() - first);
      for (std::size_t i = 0; i < n; ++i) rows[i] = query.rows() + (first + i) * query.stride();
      auto const out = scores.subspan(first, n);
      std::ranges::fill(out, 0.0F);
      for_each_unit(std::span(rows).first(n), active,
                    [&](std::size_t j, std::span<float const> of_unit) { simd::axpy(output(j), of_unit, out); });
    }
  }

  [[nodiscard]] std::span<float> parameters() & noexcept { return parameters_; }
  [[nodiscard]] std::span<float const> parameters() const& noexcept { return parameters_; }
  [[nodiscard]] std::vector<float> parameters() const&& { return parameters_; }

  void backward(QueryView query, std::span<float const> score_gradient, std::span<float> gradient) const {
    std::array<float const*, block> rows;
    std::array<float, block> factors;
    std::array<float, block> into;
    std::array<float, block_values> active;
    float* const biases = &gradient[hidden_ * features_];
    float* const outputs = &gradient[hidden_ * (features_ + 1)];
    for (std::size_t first = 0; first < score_gradient.size(); first += block) {
      std::size_t n = 0;  // documents with a score_gradient other than 0, collected without a branch
      for (std::size_t i = first; i < std::min(score_gradient.size(), first + block); ++i) {
        factors[n] = score_gradient[i];
        rows[n] = query.rows() + i * query.stride();
        n += score_gradient[i] != 0.0F ? 1U : 0U;
      }
      auto const used = std::span<float const* const>(rows).first(n);
      for_each_unit(used, active, [&](std::size_t j, std::span<float const> of_unit) {
        for (std::size_t i = 0; i < n; ++i) {
          into[i] = factors[i] * output(j) * slope(of_unit[i]);
          biases[j] += into[i];
          outputs[j] += simd::rounded_product(factors[i], of_unit[i]);
        }
        simd::add_rows(std::span(into).first(n), used, gradient.subspan(j * features_, features_));
      });
    }
  }

  /// Draws weights and biases from a normal distribution of standard deviation 1 / fan-in. The parameters of a trained
  /// ranker (not all 0) stay.
  void initialize(Stream& stream) {
    if (start_ == Initialization::zero || std::ranges::any_of(parameters_, [](float p) { return p != 0.0F; })) return;
    std::size_t const outputs_from = hidden_ * (features_ + 1);
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
      double const fan_in = static_cast<double>(i < outputs_from ? features_ : hidden_);
      parameters_[i] = static_cast<float>(stream.normal() / std::max(fan_in, 1.0));
    }
  }

  auto fields(auto&& visit) { return visit(features_, hidden_, activation_, parameters_); }

  /// Whether the sizes agree; called after the fields were read from a file.
  [[nodiscard]] bool consistent() const noexcept {
    return activation_ <= static_cast<std::uint8_t>(Activation::relu) && hidden_ > 0 &&
           parameters_.size() / hidden_ >= 2 && parameters_.size() / hidden_ - 2 == features_ &&
           parameters_.size() % hidden_ == 0;
  }

 private:
  static constexpr std::size_t block = 64;          // documents, whose rows stay in the cache for all hidden units
  static constexpr std::size_t block_values = 512;  // of several hidden units, activated at once

  /// Calls use(j, φ of the rows) for each hidden unit j. `active` is a buffer.
  void for_each_unit(std::span<float const* const> rows, std::span<float, block_values> active, auto const& use) const {
    std::size_t const n = rows.size();
    if (n == 0) return;
    std::size_t const units = block_values / n;
    for (std::size_t first = 0; first < hidden_; first += units) {
      std::size_t const count = std::min(units, hidden_ - first);
      for (std::size_t u = 0; u < count; ++u) {
        auto const inputs = active.subspan(u * n, n);
        simd::dot_rows(unit(first + u), rows, inputs);
        for (float& input : inputs) input += bias(first + u);
      }
      activate(active.first(count * n));
      for (std::size_t u = 0; u < count; ++u) use(first + u, std::span<float const>(active).subspan(u * n, n));
    }
  }

  [[nodiscard]] std::span<float const> unit(std::size_t j) const {
    return std::span(parameters_).subspan(j * features_, features_);
  }
  [[nodiscard]] float bias(std::size_t j) const { return parameters_[hidden_ * features_ + j]; }
  [[nodiscard]] float output(std::size_t j) const { return parameters_[hidden_ * (features_ + 1) + j]; }
  [[nodiscard]] bool sigmoid() const { return activation_ == static_cast<std::uint8_t>(Activation::sigmoid); }
  /// x_i ← φ(x_i).
  void activate(std::span<float> x) const {
    if (sigmoid())
      simd::sigmoid_in_place(x);
    else
      for (float& v : x) v = std::max(v, 0.0F);
  }
  /// The derivative of the activation function where its value is `active`.
  [[nodiscard]] float slope(float active) const {
    return sigmoid() ? active * (1.0F - active) : (active > 0.0F ? 1.0F : 0.0F);
  }

  std::uint64_t features_ = 0;
  std::uint64_t hidden_ = 0;
  std::uint8_t activation_ = 0;
  Initialization start_ = Initialization::random;
  std::vector<float> parameters_;
};
static_assert(DifferentiableRanker<NeuralRanker>);

}  // namespace fltr
