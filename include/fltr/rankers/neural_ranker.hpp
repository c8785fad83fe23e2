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
    std::array<float, 32> inputs;  // of a block of documents, whose rows stay in the cache for all hidden units
    for (std::size_t first = 0; first < scores.size(); first += inputs.size()) {
      std::size_t const n = std::min(inputs.size(), scores.size() - first);
      auto const out = scores.subspan(first, n);
      std::ranges::fill(out, 0.0F);
      for (std::size_t j = 0; j < hidden_; ++j) {
        simd::dot_rows(unit(j), query.rows() + first * query.stride(), query.stride(), std::span(inputs).first(n));
        activate(std::span(inputs).first(n), [this, j](std::size_t) { return bias(j); });
        for (std::size_t i = 0; i < n; ++i) out[i] += output(j) * inputs[i];
      }
    }
  }

  [[nodiscard]] std::span<float> parameters() & noexcept { return parameters_; }
  [[nodiscard]] std::span<float const> parameters() const& noexcept { return parameters_; }
  [[nodiscard]] std::vector<float> parameters() const&& { return parameters_; }

  void backward(QueryView query, std::span<float const> score_gradient, std::span<float> gradient) const {
    for (std::size_t i = 0; i < score_gradient.size(); ++i) {
      if (score_gradient[i] == 0.0F) continue;
      auto const row = query.row(i);
      std::array<float, 32> active;  // of a block of hidden units
      for (std::size_t first = 0; first < hidden_; first += active.size()) {
        std::size_t const n = std::min(active.size(), hidden_ - first);
        for (std::size_t j = 0; j < n; ++j) active[j] = simd::dot(unit(first + j), row);
        activate(std::span(active).first(n), [this, first](std::size_t j) { return bias(first + j); });
        for (std::size_t j = 0; j < n; ++j) {
          float const into = score_gradient[i] * output(first + j) * slope(active[j]);
          simd::axpy(into, row, gradient.subspan((first + j) * features_, features_));
          gradient[hidden_ * features_ + first + j] += into;
          gradient[hidden_ * (features_ + 1) + first + j] += score_gradient[i] * active[j];
        }
      }
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
  [[nodiscard]] std::span<float const> unit(std::size_t j) const {
    return std::span(parameters_).subspan(j * features_, features_);
  }
  [[nodiscard]] float bias(std::size_t j) const { return parameters_[hidden_ * features_ + j]; }
  [[nodiscard]] float output(std::size_t j) const { return parameters_[hidden_ * (features_ + 1) + j]; }
  [[nodiscard]] bool sigmoid() const { return activation_ == static_cast<std::uint8_t>(Activation::sigmoid); }
  /// x_i ← φ(x_i + bias(i)).
  void activate(std::span<float> x, auto const& bias) const {
    for (std::size_t i = 0; i < x.size(); ++i) x[i] += bias(i);
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
