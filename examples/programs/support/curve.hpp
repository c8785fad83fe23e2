#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <vector>

namespace fltr::examples {

/// One line of a chart, or its bars. The line has gaps at values that are not finite.
struct Series {
  enum class Style { solid, dashed, thin, reference, second_reference, third_reference, second_solid, second_dashed };
  /// What `x`, `y` and `deviation` look like.
  enum class Form {
    line,    ///< a line with a band
    points,  ///< a line with a mark at each point and an interval through it, beside those of the other series
    bars,    ///< a bar from 0 with an interval
  };

  std::string label;
  std::vector<double> x;  ///< ascending
  std::vector<double> y;
  std::vector<double> deviation{};  ///< half the height of the band or the interval; empty: none
  Style style = Style::solid;
  Form form = Form::line;
};

struct Chart {
  std::string title;
  std::string subtitle{};
  std::string x_label;
  std::string y_label;
  std::vector<Series> series;
  std::vector<std::string> x_names{};  ///< of the places 0, 1, … of the x axis, in place of numbers
  double least_y = -std::numeric_limits<double>::infinity();  ///< intervals are cut off here
  double most_y = std::numeric_limits<double>::infinity();
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
