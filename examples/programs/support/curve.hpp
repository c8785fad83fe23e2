#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace fltr::examples {

/// One line of a chart. The line has gaps at values that are not finite.
struct Series {
  enum class Style { solid, dashed, thin, reference, second_reference, third_reference };

  std::string label;
  std::vector<double> x;  ///< ascending
  std::vector<double> y;
  std::vector<double> deviation{};  ///< half the height of the band around the line; empty: no band
  Style style = Style::solid;
};

struct Chart {
  std::string title;
  std::string subtitle{};
  std::string x_label;
  std::string y_label;
  std::vector<Series> series;
};

/// The title and the first series as text, `width` columns wide and about `rows` rows high: Braille dots with `utf8`,
/// stars without. Empty if the series has no finite point.
[[nodiscard]] std::string terminal_chart(Chart const& chart, std::size_t width, bool utf8, std::size_t rows = 12);

/// All series as an SVG picture of 800 × 500 pixels, without scripts, external fonts or other files.
[[nodiscard]] std::string svg_chart(Chart const& chart);

/// The series with at most `limit` points. Each point is the mean of the same number of consecutive points.
[[nodiscard]] Series binned(Series const& series, std::size_t limit);
/// The series with at most `limit` of its points, including the first and the last.
[[nodiscard]] Series thinned(Series const& series, std::size_t limit);

}  // namespace fltr::examples
