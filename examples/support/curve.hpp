#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace fltr::examples {

/// One line of a chart. Values that are not finite leave a gap.
struct Series {
  enum class Style { solid, dashed, thin };

  std::string label;
  std::vector<double> x;  ///< rising
  std::vector<double> y;
  std::vector<double> deviation{};  ///< half the height of the band around the line, if there is one
  Style style = Style::solid;
};

struct Chart {
  std::string title;
  std::string subtitle{};
  std::string x_label;
  std::string y_label;
  std::vector<Series> series;
};

/// The title and the first series as text, `width` columns wide and about `rows` rows high: Braille dots, or stars
/// where the terminal shows only ASCII. Empty where there is nothing to draw.
[[nodiscard]] std::string terminal_chart(Chart const& chart, std::size_t width, bool utf8, std::size_t rows = 12);

/// All series as a self-contained SVG picture of 800 × 500 pixels, without scripts or outside fonts.
[[nodiscard]] std::string svg_chart(Chart const& chart);

/// At most `limit` points: the means of equally many neighbours, at their mean x.
[[nodiscard]] Series binned(Series const& series, std::size_t limit);
/// At most `limit` of its points, the first and the last among them.
[[nodiscard]] Series thinned(Series const& series, std::size_t limit);

}  // namespace fltr::examples
