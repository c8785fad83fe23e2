#pragma once

#include <cstdint>
#include <optional>

#include <fltr/core/compiler.hpp>

namespace fltr {

/// The value of a metric for a query without a relevant document.
enum class NoRelevantDocuments : std::uint8_t {
  skip,  ///< no value: the query is left out of the mean (FPDGD's offline figures)
  zero,  ///< 0 (trec_eval; FPDGD's online figures)
  one,   ///< 1 (LightGBM, XGBoost, allRank)
};

[[nodiscard]] constexpr std::optional<double> value_of(NoRelevantDocuments empty) noexcept {
  switch (empty) {
    case NoRelevantDocuments::zero:
      return 0.0;
    case NoRelevantDocuments::one:
      return 1.0;
    case NoRelevantDocuments::skip:
      break;
  }
  return std::nullopt;
}

}  // namespace fltr
