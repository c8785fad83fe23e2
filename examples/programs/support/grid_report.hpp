#pragma once

#include <cstddef>
#include <string>

#include "grid_summary.hpp"
#include "heat_map.hpp"
#include "json.hpp"

namespace fltr::examples {

/// The nDCG that a defence may cost without an attack, for the second answer of a grid.
inline constexpr double cost_limit = 0.003;

/// A table for each click behaviour and one for all of them, one of intervals, and one of the clients that detectors
/// flagged.
[[nodiscard]] std::string grid_tables(GridSummary const& summary, bool utf8);

/// The answers of a grid as sentences: which defence is the best in the worst case, by number of malicious clients, and
/// which cost at most `cost_limit`. `clients` is the number of all clients. Lines of at most `width` characters.
[[nodiscard]] std::string grid_answers(GridSummary const& summary, std::size_t clients, std::size_t width);

/// The losses of one click behaviour: a row for each attack and number of malicious clients, a column for each defence.
[[nodiscard]] HeatMap grid_heat_map(GridSummary const& summary, Clicks clicks, std::string const& setting);

/// Means and intervals of all cells: grid-means.csv.
[[nodiscard]] std::string grid_means(GridSummary const& summary);

/// `result` of run.json.
[[nodiscard]] Json grid_json(GridSummary const& summary);

}  // namespace fltr::examples
