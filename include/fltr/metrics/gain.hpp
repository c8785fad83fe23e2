#pragma once

#include <cstdint>

#include <fltr/data/query_view.hpp>

namespace fltr {

/// The gain of a document of grade g.
enum class Gain : std::uint8_t {
  exponential,  ///< 2^g − 1 (LightGBM, XGBoost, the papers)
  linear,       ///< g (trec_eval)
};

[[nodiscard]] constexpr double gain_of(Grade grade, Gain gain) noexcept {
  return gain == Gain::linear ? static_cast<double>(grade) : static_cast<double>((std::uint64_t{1} << grade) - 1);
}

}  // namespace fltr
