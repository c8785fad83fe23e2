#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <fltr/core/error.hpp>

namespace fltr {

/// P(attractive) by grade: 1 for relevant grades, `other` for the rest (Jagerman and de Rijke 2020). Of two or three
/// grades, those from 1 on are relevant. Of five grades, those from 3 on are relevant.
[[nodiscard]] inline std::vector<double> attractive_grades(std::size_t grade_count, double other = 0.1) {
  std::size_t const from = grade_count <= 3 ? 1 : (grade_count + 1) / 2;
  std::vector<double> out(grade_count, other);
  for (std::size_t grade = from; grade < grade_count; ++grade) out[grade] = 1.0;
  return out;
}

/// How the users of a LoggedPopulation search and click. They click by the position-based model:
/// P(click) = P(attractive | grade) · (1 / position)^η. Each user has a fixed η, drawn from N(exponent,
/// exponent_deviation²) under the condition η ≥ 0.
struct LoggingOptions {
  std::size_t clients = 2000;
  std::size_t displayed = 5;       ///< K: documents in a list
  std::uint32_t clicks = 10;       ///< m: a round of a user ends with the list in which this number is reached …
  std::uint32_t most_lists = 200;  ///< … or after this many lists
  std::uint32_t queries = 5;       ///< drawn per round; the user repeats them in a fixed order
  double exponent = 1.0;           ///< γ: the mean of the users' η
  double exponent_deviation = 0.1;
  std::vector<double> attractive{};  ///< P(attractive) by grade; empty: attractive_grades
  std::uint64_t seed = 1;            ///< of the users' η

  void check() const {
    require(clients > 0 && clients <= 0xFFFFFFFFU, "LoggingOptions", "1 to 2^32 - 1 clients", clients);
    require(displayed > 0, "LoggingOptions", "at least one displayed document", displayed);
    require(clicks > 0, "LoggingOptions", "at least one click per round", clicks);
    require(most_lists > 0, "LoggingOptions", "most_lists >= 1", most_lists);
    require(queries > 0, "LoggingOptions", "at least one query per round", queries);
    require(exponent >= 0.0 && std::isfinite(exponent), "LoggingOptions", "a finite exponent >= 0", exponent);
    require(exponent_deviation >= 0.0 && std::isfinite(exponent_deviation), "LoggingOptions",
            "a finite exponent_deviation >= 0", exponent_deviation);
    require_probabilities("LoggingOptions", "probabilities in [0, 1] as attractive", attractive);
  }
};

}  // namespace fltr
