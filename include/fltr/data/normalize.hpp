#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fltr/core/error.hpp>
#include <fltr/data/dataset.hpp>
#include <fltr/data/fold.hpp>
#include <fltr/data/secrecy.hpp>

namespace fltr {

/// The scaling of features before learning.
enum class Normalization : std::uint8_t {
  none,
  query,   ///< min-max per query, see normalize_per_query
  zscore,  ///< mean 0 and deviation 1 over the training documents, see ZScore
};

/// Min-max per query: x' = (x − min) / (max − min) over the documents of the query; a feature with one value
/// for all of them becomes 0. A Dataset that is moved in is changed in place. Requires finite features.
template <class = void>
[[nodiscard]] Dataset normalize_per_query(Dataset data) {
  std::size_t const stride = data.stride();
  auto parts = std::move(data).release();
  parts.scaled_by = std::max(parts.scaled_by, ScaledBy::query);
  std::vector<float> low(stride);
  std::vector<float> high(stride);
  std::vector<double> range(stride);
  for (std::size_t q = 0; q + 1 < parts.query_offsets.size(); ++q) {
    std::span<float> const rows = parts.features.span().subspan(
        parts.query_offsets[q] * stride, (parts.query_offsets[q + 1] - parts.query_offsets[q]) * stride);
    if (rows.empty()) continue;
    std::copy_n(rows.begin(), stride, low.begin());
    std::copy_n(rows.begin(), stride, high.begin());
    for (std::size_t row = stride; row < rows.size(); row += stride)
      for (std::size_t k = 0; k < stride; ++k) {
        low[k] = std::min(low[k], rows[row + k]);
        high[k] = std::max(high[k], rows[row + k]);
      }
    // A difference of floats does not overflow in double. If max = min, the numerator is 0, and 1 avoids 0 / 0.
    for (std::size_t k = 0; k < stride; ++k)
      range[k] = high[k] > low[k] ? static_cast<double>(high[k]) - static_cast<double>(low[k]) : 1.0;
    for (std::size_t row = 0; row < rows.size(); row += stride)
      for (std::size_t k = 0; k < stride; ++k)
        rows[row + k] =
            static_cast<float>((static_cast<double>(rows[row + k]) - static_cast<double>(low[k])) / range[k]);
  }
  return Dataset(std::move(parts));
}

/// Standardises each feature: x' = (x − mean) / deviation, both over all documents of one Dataset (deviation of the
/// population, divided by n). A feature that is constant there becomes 0 in every Dataset. A ZScore that was
/// fitted to the training part is applied to the other parts, so that a model sees one scale.
///
/// **Privacy.** With statistics of clients' documents each scaled document depends on the documents of all clients, and a
/// model file that holds the statistics reveals them. No noise on messages covers that: a Training on such documents
/// accounts epsilon = infinity (see Dataset::scaled_by). Statistics of public documents are declared as such:
///
///     auto const train = fltr::ZScore::fit(public_documents).apply(documents, fltr::Secrecy::published);
struct ZScore {
  std::vector<double> mean;
  std::vector<double> deviation;

  /// Scaled values are clamped to ±1e6. In the fitted Dataset they are at most √n, but a feature that is nearly
  /// constant there may have any value in another Dataset.
  static constexpr double limit = 1e6;

  /// Requires at least one document and finite features.
  [[nodiscard]] static ZScore fit(Dataset const& data) {
    require(data.document_count() > 0, "ZScore::fit", "at least one document", data.document_count());
    std::size_t const columns = data.feature_count();
    std::size_t const stride = data.stride();
    auto const count = static_cast<double>(data.document_count());
    std::span<float const> const rows = data.parts().features.span();
    ZScore score{std::vector<double>(columns), std::vector<double>(columns)};
    for (std::size_t row = 0; row < rows.size(); row += stride)
      for (std::size_t k = 0; k < columns; ++k) score.mean[k] += static_cast<double>(rows[row + k]);
    for (double& mean_k : score.mean) mean_k /= count;
    for (std::size_t row = 0; row < rows.size(); row += stride)
      for (std::size_t k = 0; k < columns; ++k) {
        double const difference = static_cast<double>(rows[row + k]) - score.mean[k];
        score.deviation[k] += difference * difference;
      }
    for (double& deviation_k : score.deviation) deviation_k = std::sqrt(deviation_k / count);
    return score;
  }

  /// A Dataset that is moved in is changed in place. `statistics`: whether mean and deviation are public.
  [[nodiscard]] Dataset apply(Dataset data, Secrecy statistics = Secrecy::confidential) const {
    require(data.feature_count() == mean.size() && mean.size() == deviation.size(), "ZScore::apply",
            std::to_string(mean.size()) + " features, as many as were fitted", data.feature_count());
    std::size_t const columns = data.feature_count();
    std::size_t const stride = data.stride();
    std::vector<double> divisor(deviation);
    for (double& d : divisor)
      if (!(d > 0)) d = std::numeric_limits<double>::infinity();  // finite / infinity = 0
    auto parts = std::move(data).release();
    if (statistics == Secrecy::confidential) parts.scaled_by = ScaledBy::documents;
    std::span<float> const rows = parts.features.span();
    for (std::size_t row = 0; row < rows.size(); row += stride)
      for (std::size_t k = 0; k < columns; ++k) {
        double const scaled = (static_cast<double>(rows[row + k]) - mean[k]) / divisor[k];
        rows[row + k] = static_cast<float>(std::min(std::max(scaled, -limit), limit));
      }
    return Dataset(std::move(parts));
  }

  auto fields(auto&& visit) { return visit(mean, deviation); }
  friend bool operator==(ZScore const&, ZScore const&) = default;
};

/// Z-scores of a Dataset with its own mean and deviation, which count as confidential (see ZScore).
template <class = void>
[[nodiscard]] Dataset normalize_zscore(Dataset data) {
  auto const score = ZScore::fit(data);
  return score.apply(std::move(data));
}

/// A normalisation with its statistics: fitted to the training documents, saved with the model, and applied to every
/// document that the model scores.
///
///     auto const scale = fltr::FittedNormalization::fit(fltr::Normalization::zscore, fold.train);
///     auto const train = scale.apply(fold.train);
///     auto const test = scale.apply(fold.test);  // with the mean and deviation of the training documents
class FittedNormalization {
 public:
  FittedNormalization() = default;  ///< Normalization::none

  /// Normalization::zscore requires at least one document in `train`; the others have no statistics.
  [[nodiscard]] static FittedNormalization fit(Normalization how, Dataset const& train) {
    FittedNormalization fitted;
    fitted.kind_ = static_cast<std::uint8_t>(how);
    if (how == Normalization::zscore) fitted.zscore_ = ZScore::fit(train);
    return fitted;
  }

  [[nodiscard]] Normalization kind() const noexcept { return static_cast<Normalization>(kind_); }
  /// The statistics; empty unless `kind` is zscore.
  [[nodiscard]] ZScore const& zscore() const noexcept { return zscore_; }

  /// A Dataset that is moved in is changed in place. Z-scores require the number of features of `fit`. `statistics`:
  /// whether those of z-scores are public, see ZScore.
  [[nodiscard]] Dataset apply(Dataset data, Secrecy statistics = Secrecy::confidential) const {
    switch (kind()) {
      case Normalization::none:
        break;
      case Normalization::query:
        return normalize_per_query(std::move(data));
      case Normalization::zscore:
        return zscore_.apply(std::move(data), statistics);
    }
    return data;
  }
  [[nodiscard]] Fold apply(Fold fold, Secrecy statistics = Secrecy::confidential) const {
    return {apply(std::move(fold.train), statistics), apply(std::move(fold.vali), statistics),
            apply(std::move(fold.test), statistics)};
  }

  auto fields(auto&& visit) { return visit(kind_, zscore_); }

  /// Whether `kind` is known and the statistics, if any, are finite and of this number of features. Called after
  /// reading from a file.
  [[nodiscard]] bool consistent(std::size_t features) const noexcept {
    auto const finite = [](double value) { return std::isfinite(value); };
    std::size_t const fitted = kind() == Normalization::zscore ? features : 0;
    return kind_ <= static_cast<std::uint8_t>(Normalization::zscore) && zscore_.mean.size() == fitted &&
           zscore_.deviation.size() == fitted && std::ranges::all_of(zscore_.mean, finite) &&
           std::ranges::all_of(zscore_.deviation, [&](double value) { return finite(value) && value >= 0; });
  }

  friend bool operator==(FittedNormalization const&, FittedNormalization const&) = default;

 private:
  std::uint8_t kind_ = 0;  // a Normalization; any number after reading from a file
  ZScore zscore_;
};

/// Normalises the three parts of a fold. Z-scores use the statistics of the training part.
template <class = void>
[[nodiscard]] Fold normalize(Fold fold, Normalization how) {
  auto const fitted = FittedNormalization::fit(how, fold.train);
  return fitted.apply(std::move(fold));
}

}  // namespace fltr
