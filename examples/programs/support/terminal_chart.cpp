#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>

#include "axis.hpp"
#include "curve.hpp"
#include "text.hpp"

namespace fltr::examples {

namespace {

/// Dots in a grid of character cells: 2 × 4 dots per cell for Braille, one dot per cell for ASCII.
class Canvas {
 public:
  Canvas(std::size_t columns, std::size_t rows, bool utf8)
      : across_(utf8 ? 2 : 1), down_(utf8 ? 4 : 1), columns_(columns), cells_(columns * rows), utf8_(utf8) {}

  [[nodiscard]] std::size_t width() const noexcept { return columns_ * across_; }
  [[nodiscard]] std::size_t height() const noexcept { return cells_.size() / columns_ * down_; }

  void dot(std::size_t x, std::size_t y) {
    // Unicode numbers the dots of a Braille cell 1, 2, 3, 7 in the left column and 4, 5, 6, 8 in the right column.
    constexpr std::array<std::array<std::uint8_t, 4>, 2> bits{{{0x01, 0x02, 0x04, 0x40}, {0x08, 0x10, 0x20, 0x80}}};
    std::uint8_t& cell = cells_[y / down_ * columns_ + x / across_];
    cell = static_cast<std::uint8_t>(cell | (utf8_ ? bits[x % 2][y % 4] : 1U));
  }

  [[nodiscard]] std::string row(std::size_t row) const {
    std::string text;
    for (std::size_t column = 0; column < columns_; ++column) {
      std::uint8_t const cell = cells_[row * columns_ + column];
      if (cell == 0)
        text += ' ';
      else if (!utf8_)
        text += '*';
      else
        for (unsigned const byte : {0xE2U, 0xA0U | (cell >> 6U), 0x80U | (cell & 0x3FU)})  // U+2800 + cell
          text += static_cast<char>(byte);
    }
    return text;
  }

 private:
  std::size_t across_;
  std::size_t down_;
  std::size_t columns_;
  std::vector<std::uint8_t> cells_;
  bool utf8_;
};

/// The series at `count` places along the axis: the mean of the points at a place, linear interpolation between places
/// with points, and NaN outside.
std::vector<double> sampled(std::vector<double> const& x, std::vector<double> const& y, Axis const& axis,
                            std::size_t count) {
  std::vector<double> sum(count);
  std::vector<std::size_t> points(count);
  auto const place = [&](std::size_t i) {
    double const last = static_cast<double>(count - 1);
    return static_cast<std::size_t>(std::clamp(std::round(axis.part(x[i]) * last), 0.0, last));
  };
  for (std::size_t i = 0; i < x.size(); ++i) {
    sum[place(i)] += y[i];
    ++points[place(i)];
  }
  std::vector<double> values(count, std::numeric_limits<double>::quiet_NaN());
  std::size_t before = count;
  for (std::size_t p = 0; p < count; ++p) {
    if (points[p] == 0) continue;
    values[p] = sum[p] / static_cast<double>(points[p]);
    for (std::size_t q = before + 1; q < p; ++q)
      values[q] =
          std::lerp(values[before], values[p], static_cast<double>(q - before) / static_cast<double>(p - before));
    before = p;
  }
  return values;
}

void draw(Canvas& canvas, std::vector<double> const& values, Axis const& axis) {
  double const last = static_cast<double>(canvas.height() - 1);
  auto const height = [&](double value) {
    return static_cast<std::size_t>(std::clamp(std::round((1 - axis.part(value)) * last), 0.0, last));
  };
  for (std::size_t x = 0; x < values.size(); ++x) {
    if (std::isnan(values[x])) continue;
    std::size_t const here = height(values[x]);
    canvas.dot(x, here);
    if (x == 0 || std::isnan(values[x - 1])) continue;
    // A vertical step is drawn half in the previous column and half in this column.
    std::size_t const from = height(values[x - 1]);
    std::size_t const middle = (here + from) / 2;
    for (std::size_t y = std::min(from, middle); y <= std::max(from, middle); ++y) canvas.dot(x - 1, y);
    for (std::size_t y = std::min(here, middle); y <= std::max(here, middle); ++y) canvas.dot(x, y);
  }
}

}  // namespace

std::string terminal_chart(Chart const& chart, std::size_t width, bool utf8, std::size_t rows) {
  std::vector<double> x;
  std::vector<double> y;
  if (!chart.series.empty())
    for (std::size_t i = 0; i < chart.series.front().x.size(); ++i)
      if (std::isfinite(chart.series.front().x[i]) && std::isfinite(chart.series.front().y[i])) {
        x.push_back(chart.series.front().x[i]);
        y.push_back(chart.series.front().y[i]);
      }
  if (x.empty()) return "";
  rows = std::max<std::size_t>(rows, 3);

  Axis y_axis(y, rows / 2 + 1, false);
  y_axis.widen_to_ticks();
  // Ticks are on rows, at equal distances.
  std::size_t const intervals = std::max<std::size_t>(y_axis.ticks().size(), 2) - 1;
  rows = intervals * std::max<std::size_t>((rows + intervals / 2) / intervals, 1) + 1;
  std::size_t margin = 0;
  for (double const tick : y_axis.ticks()) margin = std::max(margin, y_axis.label(tick).size());
  std::size_t const columns = std::max<std::size_t>(std::clamp<std::size_t>(width, 20, 120) - margin - 4, 8);
  Axis const x_axis(x, std::max<std::size_t>(columns / 10, 2), true);

  Canvas canvas(columns, rows, utf8);
  draw(canvas, sampled(x, y, x_axis, canvas.width()), y_axis);

  std::vector<std::string> labels(rows);
  for (double const tick : y_axis.ticks())
    labels[static_cast<std::size_t>(std::round((1 - y_axis.part(tick)) * static_cast<double>(rows - 1)))] =
        y_axis.label(tick);
  std::string text = ' ' + chart.title + '\n';
  for (std::size_t row = 0; row < rows; ++row) {
    text += std::string(margin + 1 - labels[row].size(), ' ') + labels[row] + ' ';
    text += labels[row].empty() ? (utf8 ? "│" : "|") : (utf8 ? "┤" : "+");
    text += canvas.row(row);
    text.erase(text.find_last_not_of(' ') + 1);
    text += '\n';
  }

  std::vector<bool> marked(columns);
  std::string numbers(margin + 3 + columns, ' ');
  std::size_t free = 0;
  for (double const tick : x_axis.ticks()) {
    auto const column = static_cast<std::size_t>(std::round(x_axis.part(tick) * static_cast<double>(columns - 1)));
    std::string const label = x_axis.label(tick);
    std::size_t const middle = margin + 3 + column;
    std::size_t const begin = std::min(middle - std::min(middle, label.size() / 2), numbers.size() - label.size());
    marked[column] = true;
    if (begin < free) continue;
    numbers.replace(begin, label.size(), label);
    free = begin + label.size() + 1;
  }
  text += std::string(margin + 2, ' ') + (utf8 ? "└" : "+");
  for (bool const mark : marked) text += mark ? (utf8 ? "┬" : "+") : (utf8 ? "─" : "-");
  text += '\n' + numbers;
  text.erase(text.find_last_not_of(' ') + 1);
  return text + '\n';
}

}  // namespace fltr::examples
