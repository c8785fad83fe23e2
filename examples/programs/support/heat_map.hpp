#pragma once

#include <limits>
#include <string>
#include <vector>

namespace fltr::examples {

struct HeatMapCell {
  double value = std::numeric_limits<double>::quiet_NaN();  ///< NaN: no colour
  std::string text{};                                       ///< in the cell
  std::string below{};                                      ///< a second, smaller line
  std::string title{};                                      ///< shown when the mouse is over the cell
};

struct HeatMapRow {
  std::string label;
  std::vector<HeatMapCell> cells{};  ///< one per column; none: the row is a heading
  bool strong = false;               ///< a summary of rows above it
};

/// A table of numbers with colours: 0 is light, large values are dark, values below 0 are blue.
struct HeatMap {
  std::string title;
  std::string subtitle{};
  std::string legend;  ///< the meaning of the colours
  std::vector<std::string> columns;
  std::vector<HeatMapRow> rows;
  std::vector<std::string> notes{};  ///< lines below the table
};

/// The colour of a value on a scale from 0 to `most`, as #rrggbb: the square root of value / most decides, so that
/// small values differ in colour.
[[nodiscard]] std::string heat_colour(double value, double most);
/// Whether black text is easier to read on this colour than white text (WCAG contrast).
[[nodiscard]] bool dark_text_on(std::string const& colour);

/// The table as an SVG picture, without scripts, external fonts or other files. Browsers in dark mode show it on a dark
/// background.
[[nodiscard]] std::string svg_heat_map(HeatMap const& map);

}  // namespace fltr::examples
