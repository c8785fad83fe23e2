#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <fltr/core/exponential.hpp>
#include <fltr/core/power.hpp>
#include <fltr/core/random.hpp>
#include <fltr/core/sigmoid.hpp>
#include <fltr/data/synthetic_shape.hpp>

namespace fltr::detail {

/// The function of a number y that a feature of a synthetic set has. Within a query y is approximately standard normal.
enum class SyntheticKind : std::uint8_t {
  score,            ///< s · max(0, y + 1.5), like BM25
  probability,      ///< 1 / (1 + exp(−2y))
  count,            ///< ⌊exp(a + s·y)⌋, heavy-tailed
  log_probability,  ///< −s · exp(−y / 2), like a language model's score
  sparse,           ///< s · max(0, y − 1.3), zero for most documents
  indicator,        ///< 1 if y > a, else 0
  query,            ///< s · y, with y the same for all documents of the query
  category_flag,    ///< 1 for the documents of some categories, else 0
  category,         ///< the document's category, counted from 1
};

/// A column of a synthetic set: y = (sign · z + length · l + blur · ε) / norm + level · t, where z is the feature's
/// signal of the document, l the document's length, ε noise and t the type of the query. `norm` makes the variance
/// within a query 1.
struct SyntheticFeature {
  SyntheticKind kind = SyntheticKind::probability;
  std::uint32_t signal = 0;
  float sign = 0;  ///< 1, −1, or 0 for a feature without signal
  float length = 0;
  float blur = 1;
  float level = 0;
  float a = 0;                   ///< offset or threshold
  float s = 1;                   ///< scale
  std::uint32_t categories = 0;  ///< of a category_flag: a bit for each category with the value 1

  /// The value of the feature for y.
  [[nodiscard]] float show(float y) const noexcept {
    switch (kind) {
      case SyntheticKind::score:
        return s * std::max(0.0F, y + 1.5F);
      case SyntheticKind::probability:
        return simd::sigmoid(2.0F * y);
      case SyntheticKind::count:
        return std::floor(rounded_exp(a + s * y));
      case SyntheticKind::log_probability:
        return -s * rounded_exp(-0.5F * y);
      case SyntheticKind::sparse:
        return s * std::max(0.0F, y - 1.3F);
      case SyntheticKind::indicator:
        return y > a ? 1.0F : 0.0F;
      default:
        return s * y;
    }
  }

 private:
  [[nodiscard]] static float rounded_exp(float x) noexcept {
    return static_cast<float>(math::exp(static_cast<double>(x)));
  }
};

/// The columns of a shape, in random order. Each signal has one feature with little noise (a score or a probability).
/// Its other features have any kind and different amounts of noise, like features of title, body and anchor text.
template <class = void>
[[nodiscard]] std::vector<SyntheticFeature> synthetic_features(SyntheticShape const& shape, Stream stream) {
  std::vector<SyntheticFeature> features;
  features.reserve(shape.features);
  auto const add = [&](std::uint32_t signal, bool clear) -> SyntheticFeature& {
    auto& f = features.emplace_back();
    f.kind = static_cast<SyntheticKind>(stream.below(clear ? 2 : 6));
    f.signal = signal;
    f.sign = stream.bernoulli(0.25) ? -1.0F : 1.0F;
    f.length = static_cast<float>(shape.length * (clear ? 0.3 : 1.0) * stream.uniform());
    f.blur = static_cast<float>(clear ? 0.3 : shape.blur * math::exp(0.5 * stream.normal()));
    f.level = static_cast<float>(0.7 * stream.uniform());
    bool const count = f.kind == SyntheticKind::count;
    f.a = static_cast<float>(count ? 6.0 * stream.uniform() : 2.0 * stream.uniform() - 0.5);
    f.s = static_cast<float>(count ? 0.8 + stream.uniform() : math::pow(10.0, 3.0 * stream.uniform() - 1.0));
    return f;
  };
  for (std::uint32_t i = 0; i < shape.signal_features(); ++i) add(i % shape.signals, i < shape.signals);
  for (std::uint32_t i = 0; i < shape.noise_features; ++i) {
    auto& f = add(0, false);
    f.sign = 0;
    f.blur = 1;
  }
  for (std::uint32_t i = 0; i < shape.query_features; ++i) add(0, false).kind = SyntheticKind::query;
  for (std::uint32_t i = 0; i < shape.category_flags; ++i) {
    auto& f = add(0, false);
    f.kind = SyntheticKind::category_flag;
    f.categories = stream();
  }
  stream.shuffle(std::span(features));
  if (shape.category_feature)
    features.insert(features.begin() + static_cast<std::ptrdiff_t>(*shape.category_feature),
                    SyntheticFeature{.kind = SyntheticKind::category});
  return features;
}

}  // namespace fltr::detail
