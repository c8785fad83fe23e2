#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <fltr/concepts/click_model.hpp>
#include <fltr/core/error.hpp>
#include <fltr/core/power.hpp>
#include <fltr/core/random.hpp>

namespace fltr {

/// The position-based click model: P(click) = P(attractive | grade) · (1 / rank)^η. With η = 0 every rank is examined.
/// Ranks count from 1.
struct PositionModel {
  std::vector<double> attractive;  ///< P(attractive) by grade
  double exponent = 1.0;           ///< η ≥ 0

  /// P(examined | rank) = (1 / rank)^η.
  [[nodiscard]] double examination(std::size_t rank) const { return math::pow(static_cast<double>(rank), -exponent); }

  void click(std::span<Grade const> grades, std::span<std::uint8_t> clicks, Stream& stream) const {
    require(exponent >= 0.0, "PositionModel", "an exponent >= 0", exponent);
    require_probabilities("PositionModel", "probabilities in [0, 1] as attractive", attractive);
    for (std::size_t i = 0; i < grades.size(); ++i) {
      if (grades[i] >= attractive.size()) no_probability(grades[i]);
      clicks[i] = stream.bernoulli(attractive[grades[i]] * examination(i + 1)) ? 1 : 0;
    }
  }

 private:
  [[noreturn]] void no_probability(Grade grade) const {
    throw_requirement("PositionModel",
                      "grades below " + std::to_string(attractive.size()) + ", the number of attractive probabilities",
                      int{grade});
  }
};
static_assert(ClickModel<PositionModel>);

}  // namespace fltr
