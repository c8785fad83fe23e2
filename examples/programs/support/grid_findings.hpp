#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "grid_summary.hpp"

namespace fltr::examples {

/// A finding of Wang (2024, chapter 5) as a hypothesis, tested on the trainings of a grid.
struct Finding {
  std::string hypothesis;
  Clicks clicks = Clicks::perfect;
  std::uint32_t malicious = 0;  ///< malicious clients; without an attack, the number that the rule assumes
  Estimate difference{};        ///< in nDCG@10, paired over runs; above 0 if the hypothesis holds
};

/// The findings that the grid can test: those whose attacks, rules and behaviours are among its axes.
[[nodiscard]] std::vector<Finding> grid_findings(GridSummary const& summary);

/// "holds" if the 95 % interval is above 0, "does not hold" if it is below 0, otherwise "undecided"; "-" without interval.
[[nodiscard]] std::string_view verdict_of(Estimate const& difference);

/// A row for each hypothesis and behaviour, a column for each number of malicious clients. Empty without findings.
[[nodiscard]] std::string findings_table(std::vector<Finding> const& findings, bool utf8);

/// All findings with their intervals: findings.csv.
[[nodiscard]] std::string findings_csv(std::vector<Finding> const& findings);

}  // namespace fltr::examples
