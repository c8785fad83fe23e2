#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/core.h>

#include "axis.hpp"
#include "curve.hpp"
#include "text.hpp"

namespace fltr::examples {

namespace {

constexpr double left = 84;
constexpr double right = 722;
constexpr double top = 112;
constexpr double bottom = 436;

struct Stroke {
  std::string_view colour;
  std::string_view attributes;
};

/// Colours that remain distinct in print and for colour-blind readers (Okabe and Ito).
Stroke stroke_of(Series const& series) {
  switch (series.style) {
    case Series::Style::dashed:
      return {"#c04f00", R"(stroke-width="1.6" stroke-dasharray="6 4")"};
    case Series::Style::reference:
      return {"#00805a", R"(stroke-width="2.2" stroke-dasharray="9 3")"};
    case Series::Style::second_reference:
      return {"#9c3f78", R"(stroke-width="2.2" stroke-dasharray="3 3")"};
    case Series::Style::third_reference:
      return {"#b35900", R"(stroke-width="2.2" stroke-dasharray="12 3 3 3")"};
    case Series::Style::thin:
      return {"#5b9bd0", R"(stroke-width="1")"};
    case Series::Style::solid:
      break;
  }
  return {"#0060a8", R"(stroke-width="2.2")"};
}

struct Scales {
  Axis x;
  Axis y;

  [[nodiscard]] double across(double value) const { return left + x.part(value) * (right - left); }
  [[nodiscard]] double down(double value) const { return bottom - y.part(value) * (bottom - top); }
};

bool finite_at(Series const& series, std::size_t i) {
  return std::abs(series.x[i]) < 1e300 && std::abs(series.y[i]) < 1e300;  // false for NaN
}

/// The ranges [begin, end) of consecutive finite points.
std::vector<std::pair<std::size_t, std::size_t>> pieces(Series const& series) {
  std::vector<std::pair<std::size_t, std::size_t>> found;
  for (std::size_t i = 0; i < series.x.size(); ++i) {
    if (!finite_at(series, i)) continue;
    if (i > 0 && !found.empty() && found.back().second == i)
      ++found.back().second;
    else
      found.emplace_back(i, i + 1);
  }
  return found;
}

std::string band(Series const& series, Scales const& scales) {
  std::string svg;
  if (series.deviation.size() != series.x.size()) return svg;
  auto const half = [&](std::size_t i) { return std::isfinite(series.deviation[i]) ? series.deviation[i] : 0.0; };
  for (auto const& [begin, end] : pieces(series)) {
    std::string points;
    for (std::size_t i = begin; i < end; ++i)
      points += fmt::format("{:.2f},{:.2f} ", scales.across(series.x[i]), scales.down(series.y[i] + half(i)));
    for (std::size_t i = end; i-- > begin;)
      points += fmt::format("{:.2f},{:.2f} ", scales.across(series.x[i]), scales.down(series.y[i] - half(i)));
    points.pop_back();
    svg +=
        fmt::format(R"(<polygon points="{}" fill="{}" fill-opacity="0.14"/>)", points, stroke_of(series).colour) + '\n';
  }
  return svg;
}

std::string line(Series const& series, Scales const& scales) {
  std::string svg;
  for (auto const& [begin, end] : pieces(series)) {
    if (end - begin == 1) {
      svg += fmt::format(R"(<circle cx="{:.2f}" cy="{:.2f}" r="3.5" fill="{}"/>)", scales.across(series.x[begin]),
                         scales.down(series.y[begin]), stroke_of(series).colour) +
             '\n';
      continue;
    }
    std::string points;
    for (std::size_t i = begin; i < end; ++i)
      points += fmt::format("{:.2f},{:.2f} ", scales.across(series.x[i]), scales.down(series.y[i]));
    points.pop_back();
    svg += fmt::format(R"(<polyline points="{}" fill="none" stroke="{}" stroke-linejoin="round" {}/>)", points,
                       stroke_of(series).colour, stroke_of(series).attributes) +
           '\n';
  }
  return svg;
}

std::string axes(Scales const& scales, Chart const& chart) {
  std::string svg = R"(<g stroke="#e3e6ea" stroke-width="1">)";
  for (double const tick : scales.y.ticks())
    svg += fmt::format(R"(<line x1="{}" y1="{:.2f}" x2="{}" y2="{:.2f}"/>)", left, scales.down(tick), right,
                       scales.down(tick));
  svg +=
      "</g>\n"
      R"(<g stroke="#6b7580" stroke-width="1">)";
  svg += fmt::format(R"(<line x1="{}" y1="{}" x2="{}" y2="{}"/>)", left, bottom, right, bottom);
  for (double const tick : scales.x.ticks())
    svg += fmt::format(R"(<line x1="{:.2f}" y1="{}" x2="{:.2f}" y2="{}"/>)", scales.across(tick), bottom,
                       scales.across(tick), bottom + 5);
  svg +=
      "</g>\n"
      R"(<g font-size="13" fill="#4a545e">)";
  for (double const tick : scales.y.ticks())
    svg += fmt::format(R"(<text x="{}" y="{:.2f}" text-anchor="end">{}</text>)", left - 9, scales.down(tick) + 4.5,
                       scales.y.label(tick));
  for (double const tick : scales.x.ticks())
    svg += fmt::format(R"(<text x="{:.2f}" y="{}" text-anchor="middle">{}</text>)", scales.across(tick), bottom + 21,
                       scales.x.label(tick));
  svg += fmt::format(R"(<text x="{}" y="{}" text-anchor="middle">{}</text>)", (left + right) / 2, bottom + 46,
                     xml_text(chart.x_label));
  svg += fmt::format(R"svg(<text transform="translate(26 {}) rotate(-90)" text-anchor="middle">{}</text>)svg",
                     (top + bottom) / 2, xml_text(chart.y_label));
  return svg + "</g>\n";
}

std::string legend(Chart const& chart) {
  std::string svg = R"(<g font-size="13" fill="#2b333b">)";
  double x = left;
  for (Series const& series : chart.series) {
    svg += fmt::format(R"(<line x1="{:.1f}" y1="88" x2="{:.1f}" y2="88" stroke="{}" {}/>)", x, x + 28,
                       stroke_of(series).colour, stroke_of(series).attributes);
    svg += fmt::format(R"(<text x="{:.1f}" y="92.5">{}</text>)", x + 35, xml_text(series.label));
    x += 35 + 7.4 * static_cast<double>(character_count(series.label)) + 22;
  }
  return svg + "</g>\n";
}

/// The last value of each line, at its right end. Labels that would overlap are moved down.
std::string end_labels(Chart const& chart, Scales const& scales) {
  struct Label {
    double x;
    double y;
    double value;
    std::string_view colour;
  };
  std::vector<Label> labels;
  for (Series const& series : chart.series) {
    auto const found = pieces(series);
    if (found.empty() || series.style == Series::Style::thin) continue;
    std::size_t const last = found.back().second - 1;
    labels.push_back(
        {scales.across(series.x[last]), scales.down(series.y[last]), series.y[last], stroke_of(series).colour});
  }
  std::ranges::sort(labels, {}, &Label::y);
  std::string svg = R"(<g font-size="13" font-weight="600">)";
  double free = top - 20;
  for (Label const& label : labels) {
    double const y = std::max(label.y, free);
    svg += fmt::format(R"(<text x="{:.2f}" y="{:.2f}" fill="{}">{:.4f}</text>)", label.x + 8, y + 4.5, label.colour,
                       label.value);
    free = y + 16;
  }
  return svg + "</g>\n";
}

}  // namespace

std::string svg_chart(Chart const& chart) {
  std::vector<double> xs;
  std::vector<double> ys;
  for (Series const& series : chart.series)
    for (std::size_t i = 0; i < series.x.size(); ++i) {
      if (!finite_at(series, i)) continue;
      double const half =
          series.deviation.size() == series.x.size() && std::isfinite(series.deviation[i]) ? series.deviation[i] : 0;
      xs.push_back(series.x[i]);
      ys.push_back(series.y[i] - half);
      ys.push_back(series.y[i] + half);
    }
  Scales scales{Axis(xs, 9, true), Axis(ys, 7, false)};
  scales.y.widen_to_ticks();

  std::string svg =
      R"(<svg xmlns="http://www.w3.org/2000/svg" width="800" height="500" viewBox="0 0 800 500" role="img" )"
      R"(font-family="'Helvetica Neue', Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif">)";
  svg += fmt::format("\n<title>{}</title>\n", xml_text(chart.title));
  svg += R"(<rect width="800" height="500" fill="#ffffff"/>)"
         "\n";
  svg += fmt::format(R"(<text x="{}" y="36" font-size="19" font-weight="600" fill="#161b20">{}</text>)", left,
                     xml_text(chart.title));
  svg += fmt::format(R"(<text x="{}" y="59" font-size="13" fill="#4a545e">{}</text>)", left, xml_text(chart.subtitle));
  svg += '\n' + axes(scales, chart) + legend(chart);
  if (xs.empty())
    svg += fmt::format(R"(<text x="{}" y="{}" text-anchor="middle" font-size="15" fill="#4a545e">no data</text>)",
                       (left + right) / 2, (top + bottom) / 2);
  for (Series const& series : chart.series) svg += band(series, scales);
  for (std::size_t i = chart.series.size(); i-- > 0;)
    svg += line(chart.series[i], scales);  // the first series is drawn last, on top
  return svg + end_labels(chart, scales) + "</svg>\n";
}

Series binned(Series const& series, std::size_t limit) {
  std::size_t const size = (series.x.size() + limit - 1) / std::max<std::size_t>(limit, 1);
  if (size <= 1) return series;
  Series result{.label = series.label, .x = {}, .y = {}, .style = series.style};
  for (std::size_t begin = 0; begin < series.x.size(); begin += size) {
    double x = 0;
    double y = 0;
    double count = 0;
    for (std::size_t i = begin; i < std::min(begin + size, series.x.size()); ++i) {
      if (!finite_at(series, i)) continue;
      x += series.x[i];
      y += series.y[i];
      ++count;
    }
    if (count == 0) continue;
    result.x.push_back(x / count);
    result.y.push_back(y / count);
  }
  return result;
}

Series thinned(Series const& series, std::size_t limit) {
  if (series.x.size() <= limit || limit < 2) return series;
  Series result{.label = series.label, .x = {}, .y = {}, .style = series.style};
  for (std::size_t k = 0; k < limit; ++k) {
    std::size_t const i = k * (series.x.size() - 1) / (limit - 1);
    result.x.push_back(series.x[i]);
    result.y.push_back(series.y[i]);
    if (series.deviation.size() == series.x.size()) result.deviation.push_back(series.deviation[i]);
  }
  return result;
}

}  // namespace fltr::examples
