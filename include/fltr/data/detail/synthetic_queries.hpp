#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include <fltr/core/normal_cdf.hpp>
#include <fltr/core/power.hpp>
#include <fltr/core/random.hpp>
#include <fltr/data/detail/synthetic_feature.hpp>
#include <fltr/data/grade.hpp>
#include <fltr/data/synthetic_shape.hpp>

namespace fltr::detail {

/// Generates the queries of a shape. Query i depends on the shape and on i only.
///
/// A document has K independent signals z_k, approximately standard normal, and a utility u of variance 1 that ranks it
/// among the documents of its query. u is the sum of these terms, each times the square root of its part of the
/// variance (SyntheticShape):
/// - monotone: Σ_k w_k r_k(z_k), w fixed, r_k a saturating curve (even k) or a step at 0.5 (odd k);
/// - interplay: in each block (a, b, c) of signals, z_b where z_a > 0 and −z_c elsewhere; and (1 − z_a²) / √2;
/// - taste: Σ_k v_k z_k, v = (t · fixed direction + direction of this query) / √2, t normal per query, its type;
/// - topical: Σ_k δ_k z_k, with a fixed direction δ for each category;
/// - noise.
///
/// The number of documents with at least grade g is independent of u: it counts draws of probability Φ((σb − τ_g) / s),
/// one per document, where σ = query_spread, s² = 1 − σ², b is normal per query, and the thresholds τ_g give the
/// shape's shares of grades. The documents with the highest utility get the highest grades. A feature depends on one
/// signal (see SyntheticFeature), on t only, or on noise only.
///
/// Categories follow a Zipf-Mandelbrot law, P(c) ∝ 1 / (c + 1). A query has a dominant category. Each of its documents
/// has the dominant category with probability p, else a category drawn by that law; p = 1 − 0.95 U^1.2 per query, with
/// a uniform U.
template <class = void>
class SyntheticQueries {
 public:
  explicit SyntheticQueries(SyntheticShape const& shape) : shape_(shape) {
    shape_.check();
    features_ = synthetic_features(shape_, stream(0, Part::features));
    Stream random = stream(0, Part::tastes);
    worth_ = direction(random);
    for (float& w : worth_) w = random.bernoulli(0.2) ? -std::abs(w) : std::abs(w);
    type_taste_ = direction(random);
    for (std::uint32_t c = 1; c <= shape_.categories; ++c) {
      category_taste_.push_back(direction(random));
      category_weights_.push_back(1.0 / (c + 1));
    }
    double above = 0;
    for (std::size_t g = thresholds_.size(); g > 0; --g) {
      above += shape_.grade_shares[g];
      thresholds_[g - 1] = normal_quantile(1 - above / (1 - shape_.empty_queries));
    }
  }

  /// The number of documents of the query.
  [[nodiscard]] std::size_t size(std::uint32_t query) const {
    double const u = stream(query, Part::size).uniform();
    auto const high = std::ranges::find_if(shape_.sizes, [u](SizeKnot const& knot) { return knot.probability >= u; });
    auto const low = high - 1;
    double const part = (u - low->probability) / (high->probability - low->probability);
    return static_cast<std::size_t>(std::lround(low->documents + part * (high->documents - low->documents)));
  }

  /// Fills the grades of the query and its rows, `stride` floats apart. Requires grades.size() == size(query).
  void fill(std::uint32_t query, float* rows, std::size_t stride, std::span<Grade> grades) const {
    Stream random = stream(query, Part::content);
    Hidden hidden{grades.size(), static_cast<float>(random.normal()), {}, {}};
    hidden.categories = draw_categories(grades.size(), random);
    hidden.signals.resize((shape_.signals + 1) * grades.size());
    for (float& z : hidden.signals) z = rough_normal(random);
    grade(utility(hidden, random), random, grades);
    for (std::size_t j = 0; j < features_.size(); ++j) show(features_[j], hidden, random, rows + j, stride);
    for (std::size_t d = 0; d < grades.size(); ++d)
      std::fill(rows + d * stride + features_.size(), rows + (d + 1) * stride, 0.0F);
  }

 private:
  enum class Part : std::uint32_t { size, content, features, tastes };

  /// The hidden variables of a query.
  struct Hidden {
    std::size_t documents;
    float type;
    std::vector<std::uint8_t> categories;  // from 0
    std::vector<float> signals;            // one row per signal; the last row is the length

    [[nodiscard]] float const* signal(std::size_t k) const noexcept { return signals.data() + k * documents; }
    [[nodiscard]] float const* length() const noexcept { return signals.data() + signals.size() - documents; }
  };

  [[nodiscard]] Stream stream(std::uint32_t query, Part part) const noexcept {
    return Streams{.seed = shape_.seed, .round = query, .client = static_cast<std::uint32_t>(part)}.of(
        Purpose::synthetic);
  }

  /// Approximately standard normal: the sum of four uniform numbers, within ±2√3. Faster than Stream::normal.
  [[nodiscard]] static float rough_normal(Stream& random) noexcept {
    std::uint32_t const x = random();
    std::uint32_t const y = random();
    auto const sum = static_cast<std::int32_t>((x & 0xFFFFU) + (x >> 16U) + (y & 0xFFFFU) + (y >> 16U));
    return static_cast<float>(sum - 131'070) * (1.7320508F / 65'536.0F);
  }

  [[nodiscard]] static double normal_quantile(double p) {
    double low = -10;
    double high = 10;
    for (int i = 0; i < 80; ++i) (normal_cdf((low + high) / 2) < p ? low : high) = (low + high) / 2;
    return low;
  }

  /// A random weight for each signal. The squares of the weights add up to 1.
  [[nodiscard]] std::vector<float> direction(Stream& random) const {
    std::vector<float> w(shape_.signals);
    double squares = 0;
    for (float& x : w) {
      x = static_cast<float>(random.normal());
      squares += static_cast<double>(x) * static_cast<double>(x);
    }
    for (float& x : w) x /= static_cast<float>(std::sqrt(squares));
    return w;
  }

  [[nodiscard]] std::vector<std::uint8_t> draw_categories(std::size_t documents, Stream& random) const {
    std::vector<std::uint8_t> drawn(documents, 0);
    if (shape_.categories == 0) return drawn;
    auto const draw = [&] { return static_cast<std::uint8_t>(random.categorical(category_weights_)); };
    auto const dominant = draw();
    double const purity = 1 - 0.95 * math::pow(random.uniform(), 1.2);
    for (auto& category : drawn) category = random.bernoulli(purity) ? dominant : draw();
    return drawn;
  }

  /// r_k of the class comment: mean 0 and variance 1 for a standard normal z.
  [[nodiscard]] static float rise(std::size_t k, float z) noexcept {
    if (k % 2 == 0) return 1.704F * z / std::sqrt(1.0F + z * z);
    return z > 0.5F ? 1.497F : -0.668F;
  }

  [[nodiscard]] std::vector<float> utility(Hidden const& hidden, Stream& random) const {
    auto const weight = [](double part) { return static_cast<float>(std::sqrt(std::max(0.0, part))); };
    std::size_t const documents = hidden.documents;
    std::vector<float> u(documents);
    for (float& x : u) x = weight(shape_.noise()) * rough_normal(random);
    auto const own_taste = direction(random);
    float const topical = weight(shape_.topical);
    for (std::size_t k = 0; k < shape_.signals; ++k) {
      float const* z = hidden.signal(k);
      float const worth = weight(shape_.monotone) * worth_[k];
      float const taste = weight(shape_.taste / 2) * (hidden.type * type_taste_[k] + own_taste[k]);
      for (std::size_t d = 0; d < documents; ++d) u[d] += worth * rise(k, z[d]) + taste * z[d];
      if (topical > 0)
        for (std::size_t d = 0; d < documents; ++d) u[d] += topical * category_taste_[hidden.categories[d]][k] * z[d];
    }
    for (std::size_t block = 0; block < shape_.blocks; ++block) {
      float const* a = hidden.signal(3 * block);
      float const* b = hidden.signal(3 * block + 1);
      float const* c = hidden.signal(3 * block + 2);
      float const interplay = weight(shape_.interplay / (2.0 * shape_.blocks));
      for (std::size_t d = 0; d < documents; ++d)
        u[d] += interplay * ((a[d] > 0 ? b[d] : -c[d]) + (1.0F - a[d] * a[d]) * 0.70710678F);
    }
    return u;
  }

  void grade(std::span<float const> utility, Stream& random, std::span<Grade> grades) const {
    std::ranges::fill(grades, Grade{0});
    if (random.bernoulli(shape_.empty_queries)) return;
    double const shift = shape_.query_spread * random.normal();
    double const within = std::sqrt(1 - shape_.query_spread * shape_.query_spread);
    std::array<double, 4> chance{};
    for (std::size_t g = 0; g < chance.size(); ++g) chance[g] = normal_cdf((shift - thresholds_[g]) / within);
    std::array<std::size_t, 4> at_least{};
    for (std::size_t d = 0; d < grades.size(); ++d) {
      double const chosen = random.uniform();
      for (std::size_t g = 0; g < chance.size(); ++g) at_least[g] += chosen < chance[g] ? 1U : 0U;
    }
    std::vector<std::uint32_t> order(grades.size());
    std::iota(order.begin(), order.end(), 0U);
    std::ranges::sort(order, [&](std::uint32_t x, std::uint32_t y) {
      return utility[x] != utility[y] ? utility[x] > utility[y] : x < y;
    });
    for (std::size_t g = 0; g < at_least.size(); ++g)
      for (std::size_t rank = 0; rank < at_least[g]; ++rank) grades[order[rank]] = static_cast<Grade>(g + 1);
  }

  static void show(SyntheticFeature const& f, Hidden const& hidden, Stream& random, float* column, std::size_t stride) {
    auto const write = [&](auto&& value) {
      for (std::size_t d = 0; d < hidden.documents; ++d) column[d * stride] = value(d);
    };
    float const norm = std::sqrt(f.sign * f.sign + f.length * f.length + f.blur * f.blur);
    if (f.kind == SyntheticKind::category) {
      write([&](std::size_t d) { return static_cast<float>(hidden.categories[d] + 1); });
    } else if (f.kind == SyntheticKind::category_flag) {
      write([&](std::size_t d) { return ((f.categories >> hidden.categories[d]) & 1U) != 0 ? 1.0F : 0.0F; });
    } else if (f.kind == SyntheticKind::query) {
      float const value = f.show(f.sign * hidden.type + f.blur * rough_normal(random));
      write([&](std::size_t) { return value; });
    } else {
      float const* z = hidden.signal(f.signal);
      float const* length = hidden.length();
      float const level = f.level * hidden.type;
      write([&](std::size_t d) {
        return f.show((f.sign * z[d] + f.length * length[d] + f.blur * rough_normal(random)) / norm + level);
      });
    }
  }

  SyntheticShape shape_;
  std::vector<SyntheticFeature> features_;
  std::vector<float> worth_;  // w of the class comment; 80 % are positive
  std::vector<float> type_taste_;
  std::vector<std::vector<float>> category_taste_;
  std::vector<double> category_weights_;
  std::array<double, 4> thresholds_{};  // τ of grades 1 to 4
};

}  // namespace fltr::detail
