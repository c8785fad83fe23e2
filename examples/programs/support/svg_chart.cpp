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
      return {"#3d454d", R"(stroke-width="2.2" stroke-dasharray="12 3 3 3")"};
    case Series::Style::second_solid:
      return {"#c79a00", R"(stroke-width="2.2")"};
    case Series::Style::second_dashed:
      return {"#5b9bd0", R"(stroke-width="2.2" stroke-dasharray="6 4")"};
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
  std::size_t places = 0;  // with names in place of numbers on the x axis: their number

  [[nodiscard]] double across(double value) const {
    if (places > 0) return left + (value + 0.5) / static_cast<double>(places) * (right - left);
    return left + x.part(value) * (right - left);
  }
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

/// Half the height of the interval at a point; 0 if there is none.
double half_at(Series const& series, std::size_t i) {
  return series.deviation.size() == series.x.size() && std::isfinite(series.deviation[i]) ? series.deviation[i] : 0.0;
}

/// A vertical line with a cap at each end that is not cut off.
std::string interval(double x, double value, double half, Chart const& chart, Scales const& scales,
                     std::string_view colour) {
  if (!(half > 0)) return "";
  double const low = std::max(value - half, chart.least_y);
  double const high = std::min(value + half, chart.most_y);
  std::string svg = fmt::format(R"(<path d="M{:.2f} {:.2f}V{:.2f})", x, scales.down(low), scales.down(high));
  for (double const end : {low, high})
    if (end == value - half || end == value + half) svg += fmt::format("M{:.2f} {:.2f}h8", x - 4, scales.down(end));
  return svg + fmt::format(R"(" fill="none" stroke="{}" stroke-width="1.3"/>)", colour) + '\n';
}

/// `shift`: how far the series is drawn to the right, so that intervals stand beside each other.
std::string points(Series const& series, Chart const& chart, Scales const& scales, double shift) {
  auto const [colour, attributes] = stroke_of(series);
  std::string svg;
  for (auto const& [begin, end] : pieces(series)) {
    std::string places;
    for (std::size_t i = begin; i < end; ++i)
      places += fmt::format("{:.2f},{:.2f} ", scales.across(series.x[i]) + shift, scales.down(series.y[i]));
    places.pop_back();
    if (end - begin > 1)
      svg += fmt::format(R"(<polyline points="{}" fill="none" stroke="{}" stroke-linejoin="round" {}/>)", places,
                         colour, attributes) +
             '\n';
    for (std::size_t i = begin; i < end; ++i) {
      double const x = scales.across(series.x[i]) + shift;
      svg += interval(x, series.y[i], half_at(series, i), chart, scales, colour);
      svg +=
          fmt::format(R"(<circle cx="{:.2f}" cy="{:.2f}" r="3.5" fill="{}"/>)", x, scales.down(series.y[i]), colour) +
          '\n';
    }
  }
  return svg;
}

/// Bars from 0, with their values above them.
std::string bars(Series const& series, Chart const& chart, Scales const& scales) {
  auto const colour = stroke_of(series).colour;
  double const width = scales.across(1) - scales.across(0);
  std::string svg;
  for (std::size_t i = 0; i < series.x.size(); ++i) {
    if (!finite_at(series, i)) continue;
    double const x = scales.across(series.x[i]);
    double const half = half_at(series, i);
    svg += fmt::format(R"(<rect x="{:.2f}" y="{:.2f}" width="{:.2f}" height="{:.2f}" fill="{}" fill-opacity="0.75"/>)",
                       x - 0.3 * width, scales.down(series.y[i]), 0.6 * width,
                       scales.down(0) - scales.down(series.y[i]), colour) +
           '\n';
    svg += interval(x, series.y[i], half, chart, scales, "#161b20");
    svg +=
        fmt::format(
            R"(<text x="{:.2f}" y="{:.2f}" text-anchor="middle" font-size="13" font-weight="600" fill="#161b20">{:.4f}</text>)",
            x, scales.down(std::min(series.y[i] + half, chart.most_y)) - 7, series.y[i]) +
        '\n';
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
  std::vector<std::pair<double, std::string>> x_ticks;
  for (std::size_t i = 0; i < chart.x_names.size(); ++i)
    x_ticks.emplace_back(scales.across(static_cast<double>(i)), xml_text(chart.x_names[i]));
  if (x_ticks.empty())
    for (double const tick : scales.x.ticks()) x_ticks.emplace_back(scales.across(tick), scales.x.label(tick));
  for (auto const& [x, name] : x_ticks)
    svg += fmt::format(R"(<line x1="{:.2f}" y1="{}" x2="{:.2f}" y2="{}"/>)", x, bottom, x, bottom + 5);
  svg +=
      "</g>\n"
      R"(<g font-size="13" fill="#4a545e">)";
  for (double const tick : scales.y.ticks())
    svg += fmt::format(R"(<text x="{}" y="{:.2f}" text-anchor="end">{}</text>)", left - 9, scales.down(tick) + 4.5,
                       scales.y.label(tick));
  std::size_t longest = 1;
  for (std::string const& name : chart.x_names) longest = std::max(longest, character_count(name));
  double const room = (right - left) / static_cast<double>(std::max<std::size_t>(chart.x_names.size(), 1));
  double const size = std::min(13.0, room / (0.56 * static_cast<double>(longest)));
  for (auto const& [x, name] : x_ticks)
    svg += fmt::format(R"(<text x="{:.2f}" y="{}" text-anchor="middle" font-size="{:.1f}">{}</text>)", x, bottom + 21,
                       size, name);
  svg += fmt::format(R"(<text x="{}" y="{}" text-anchor="middle">{}</text>)", (left + right) / 2, bottom + 46,
                     xml_text(chart.x_label));
  svg += fmt::format(R"svg(<text transform="translate(26 {}) rotate(-90)" text-anchor="middle">{}</text>)svg",
                     (top + bottom) / 2, xml_text(chart.y_label));
  return svg + "</g>\n";
}

/// One row, or two if the names are too long for one.
std::string legend(Chart const& chart) {
  auto const width = [](Series const& series) { return 57 + 7.4 * static_cast<double>(character_count(series.label)); };
  double all = 0;
  for (Series const& series : chart.series) all += width(series);
  double const right_end = 790;
  double x = left;
  double y = left + all > right_end + 22 ? 80 : 88;
  std::string svg = R"(<g font-size="13" fill="#2b333b">)";
  for (Series const& series : chart.series) {
    if (series.form == Series::Form::bars) continue;  // its places have names
    if (x > left && x + width(series) > right_end + 22) {
      x = left;
      y += 17;
    }
    svg += fmt::format(R"(<line x1="{:.1f}" y1="{}" x2="{:.1f}" y2="{}" stroke="{}" {}/>)", x, y, x + 28, y,
                       stroke_of(series).colour, stroke_of(series).attributes);
    svg += fmt::format(R"(<text x="{:.1f}" y="{}">{}</text>)", x + 35, y + 4.5, xml_text(series.label));
    x += width(series);
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
    if (found.empty() || series.style == Series::Style::thin || series.form == Series::Form::bars) continue;
    std::size_t const last = found.back().second - 1;
    labels.push_back({chart.x_names.empty() ? scales.across(series.x[last]) : right, scales.down(series.y[last]),
                      series.y[last], stroke_of(series).colour});
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
      double const half = half_at(series, i);
      xs.push_back(series.x[i]);
      ys.push_back(std::max(series.y[i] - half, chart.least_y));
      ys.push_back(std::min(series.y[i] + half, chart.most_y));
      if (series.form == Series::Form::bars) ys.push_back(0);
    }
  Scales scales{Axis(xs, 9, true), Axis(ys, 7, false), chart.x_names.size()};
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
  auto const has_points = [](Series const& series) { return series.form == Series::Form::points; };
  auto const side_by_side = static_cast<double>(std::ranges::count_if(chart.series, has_points));
  double shift = (side_by_side - 1) * 3.5;
  for (Series const& series : chart.series)
    if (series.form == Series::Form::line) svg += band(series, scales);
  for (std::size_t i = chart.series.size(); i-- > 0;) {  // the first series is drawn last, on top
    Series const& series = chart.series[i];
    if (series.form == Series::Form::line) svg += line(series, scales);
    if (series.form == Series::Form::bars) svg += bars(series, chart, scales);
    if (series.form != Series::Form::points) continue;
    svg += points(series, chart, scales, shift);
    shift -= 7;
  }
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
