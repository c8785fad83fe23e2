#include "heat_map.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <fmt/core.h>

#include "axis.hpp"
#include "text.hpp"

namespace fltr::examples {

namespace {

using Colour = std::array<double, 3>;  // red, green, blue from 0 to 255

/// From 0 to the largest value. Brightness falls evenly, so that the order survives in print and for colour-blind
/// readers.
constexpr std::array<Colour, 6> scale{
    {{255, 250, 225}, {254, 217, 134}, {252, 156, 82}, {226, 87, 71}, {160, 38, 96}, {68, 16, 82}}};
constexpr Colour gain{120, 178, 226};  // values below 0

Colour between(Colour const& a, Colour const& b, double part) {
  Colour mixed{};
  for (std::size_t i = 0; i < 3; ++i) mixed[i] = a[i] + (b[i] - a[i]) * part;
  return mixed;
}

std::string hex(Colour const& colour) {
  auto const part = [&](std::size_t i) { return static_cast<unsigned>(std::lround(colour[i])); };
  return fmt::format("#{:02x}{:02x}{:02x}", part(0), part(1), part(2));
}

/// Relative luminance (WCAG 2).
double luminance(std::string const& colour) {
  constexpr std::array<double, 3> weights{0.2126, 0.7152, 0.0722};
  double sum = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    double const value = static_cast<double>(std::stoul(colour.substr(1 + 2 * i, 2), nullptr, 16)) / 255;
    sum += weights[i] * (value <= 0.04045 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4));
  }
  return sum;
}

constexpr double margin = 24;
constexpr double cell_width = 72;
constexpr double cell_height = 21;
constexpr double tall_cell_height = 34;  // with a second line
constexpr double heading_height = 27;
constexpr double gap = 1.5;  // between cells
constexpr double letter = 6.9;
constexpr double wide_letter = 8.4;  // of DejaVu Sans

/// Draws a HeatMap from the top down.
class Picture {
 public:
  explicit Picture(HeatMap const& map) : map_(map) {
    double longest = 0;
    for (HeatMapRow const& row : map.rows) {
      if (!row.cells.empty())
        longest =
            std::max(longest, letter * (row.strong ? 1.15 : 1.0) * static_cast<double>(character_count(row.label)));
      for (HeatMapCell const& cell : row.cells)
        if (std::isfinite(cell.value)) most_ = std::max(most_, cell.value);
    }
    left_ = margin + longest + 12;
    // The names of the columns stand at 40 degrees, below the subtitle also in a wide font.
    double slant = 0;
    for (std::string const& column : map.columns)
      slant = std::max(slant, wide_letter * static_cast<double>(character_count(column)));
    top_ = 76 + slant * 0.643 + 8;
    right_ = left_ + cell_width * static_cast<double>(map.columns.size());
    double const text = letter * 1.25 * static_cast<double>(character_count(map.title));
    double const small = letter * static_cast<double>(character_count(map.subtitle));
    width_ =
        std::max({right_ + slant * 0.766 - cell_width / 2 + 8, margin + text, margin + small, margin + 460.0}) + margin;
    for (std::string const& note : map.notes)
      width_ = std::max(width_, 2 * margin + letter * static_cast<double>(character_count(note)));
  }

  [[nodiscard]] std::string draw() {
    columns();
    double y = top_;
    for (HeatMapRow const& row : map_.rows) y = draw_row(row, y);
    y = legend(y + 26);
    for (std::string const& note : map_.notes) {
      text(margin, y, "quiet", note, R"(font-size="12")");
      y += 18;
    }
    double const height = y + 8;
    std::string svg = fmt::format(
        R"(<svg xmlns="http://www.w3.org/2000/svg" width="{0:.0f}" height="{1:.0f}" viewBox="0 0 {0:.0f} {1:.0f}" role="img" )",
        width_, height);
    svg += R"(font-family="'Helvetica Neue', Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif">)";
    svg += fmt::format("\n<title>{}</title>\n", xml_text(map_.title));
    svg +=
        "<style>\n"
        ".paper{fill:#ffffff} .ink{fill:#161b20} .quiet{fill:#4a545e} .none{fill:#eceff2} .rule{stroke:#c3cad1}\n"
        "@media (prefers-color-scheme: dark) {\n"
        ".paper{fill:#12161b} .ink{fill:#eef2f5} .quiet{fill:#b3bcc5} .none{fill:#262d34} .rule{stroke:#414b55}\n"
        "}\n"
        "</style>\n";
    svg += fmt::format(R"(<rect class="paper" width="{:.0f}" height="{:.0f}"/>)", width_, height) + '\n';
    svg += fmt::format(R"(<text x="{}" y="34" class="ink" font-size="19" font-weight="600">{}</text>)", margin,
                       xml_text(map_.title)) +
           '\n';
    svg +=
        fmt::format(R"(<text x="{}" y="56" class="quiet" font-size="13">{}</text>)", margin, xml_text(map_.subtitle)) +
        '\n';
    return svg + body_ + "</svg>\n";
  }

 private:
  void text(double x, double y, std::string_view style, std::string const& content, std::string_view attributes) {
    body_ += fmt::format(R"(<text x="{:.1f}" y="{:.1f}" class="{}" {}>{}</text>)", x, y, style, attributes,
                         xml_text(content)) +
             '\n';
  }

  void columns() {
    for (std::size_t c = 0; c < map_.columns.size(); ++c) {
      double const x = left_ + cell_width * (static_cast<double>(c) + 0.5) - 4;
      body_ +=
          fmt::format(
              R"svg(<text class="ink" font-size="13" transform="translate({:.1f} {:.1f}) rotate(-40)">{}</text>)svg", x,
              top_ - 8, xml_text(map_.columns[c])) +
          '\n';
    }
  }

  /// Returns the position below the row.
  double draw_row(HeatMapRow const& row, double y) {
    if (row.cells.empty()) {
      text(margin, y + heading_height - 8, "ink", row.label, R"(font-size="13" font-weight="600")");
      return y + heading_height;
    }
    bool const tall = std::ranges::any_of(row.cells, [](HeatMapCell const& cell) { return !cell.below.empty(); });
    double const height = tall ? tall_cell_height : cell_height;
    if (row.strong)
      body_ += fmt::format(R"(<line class="rule" x1="{:.1f}" y1="{:.1f}" x2="{:.1f}" y2="{:.1f}"/>)", margin, y + 1.5,
                           right_, y + 1.5) +
               '\n';
    if (row.strong) y += 3;
    text(left_ - 12, y + height / 2 + 4.5, "ink", row.label,
         row.strong ? R"(font-size="13" font-weight="600" text-anchor="end")" : R"(font-size="13" text-anchor="end")");
    for (std::size_t c = 0; c < row.cells.size(); ++c)
      draw_cell(row.cells[c], left_ + cell_width * static_cast<double>(c), y, height, row.strong);
    return y + height + (row.strong ? 2 : 0);
  }

  void draw_cell(HeatMapCell const& cell, double x, double y, double height, bool strong) {
    bool const coloured = std::isfinite(cell.value);
    std::string const colour = coloured ? heat_colour(cell.value, most_) : "";
    body_ += "<g>";
    if (!cell.title.empty()) body_ += fmt::format("<title>{}</title>", xml_text(cell.title));
    body_ +=
        fmt::format(R"(<rect x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}" {}/>)", x + gap / 2, y + gap / 2,
                    cell_width - gap, height - gap, coloured ? fmt::format(R"(fill="{}")", colour) : R"(class="none")");
    std::string const ink = !coloured              ? R"(class="quiet")"
                            : dark_text_on(colour) ? R"(fill="#161b20")"
                                                   : R"(fill="#ffffff")";
    double const middle = x + cell_width / 2;
    double const line = cell.below.empty() ? y + height / 2 + 4.5 : y + height / 2 - 1.5;
    body_ += fmt::format(R"(<text x="{:.1f}" y="{:.1f}" font-size="12.5" text-anchor="middle" {}{}>{}</text>)", middle,
                         line, ink, strong ? R"( font-weight="600")" : "", xml_text(cell.text));
    if (!cell.below.empty())
      body_ += fmt::format(R"(<text x="{:.1f}" y="{:.1f}" font-size="9.5" text-anchor="middle" {}>{}</text>)", middle,
                           y + height / 2 + 11, ink, xml_text(cell.below));
    body_ += "</g>\n";
  }

  /// A bar of all colours with numbers below it. Returns the position below it.
  double legend(double y) {
    constexpr double length = 300;
    constexpr std::size_t steps = 60;
    text(margin, y, "ink", map_.legend, R"(font-size="13")");
    if (!(most_ > 0)) return y + 24;
    for (std::size_t i = 0; i < steps; ++i) {
      double const part = (static_cast<double>(i) + 0.5) / steps;
      body_ += fmt::format(R"(<rect x="{:.1f}" y="{:.1f}" width="{:.1f}" height="12" fill="{}"/>)",
                           margin + length * static_cast<double>(i) / steps, y + 9, length / steps + 0.3,
                           heat_colour(part * part * most_, most_));
    }
    body_ += '\n';
    // Ticks at round values, which the square root brings together at the right.
    double free = margin - 1;
    for (double const value : ticks()) {
      double const x = margin + length * std::sqrt(value / most_);
      std::string const label = value == 0 ? "0" : shortest(value);
      double const half = letter * static_cast<double>(label.size()) / 2;
      if (x - half < free && value > 0) continue;
      free = x + half + 6;
      text(x, y + 37, "quiet", label, R"(font-size="12" text-anchor="middle")");
    }
    double const x = margin + length + 28;
    body_ += fmt::format(R"(<rect x="{:.1f}" y="{:.1f}" width="18" height="12" fill="{}"/>)", x, y + 9,
                         heat_colour(-most_, most_));
    text(x + 25, y + 19.5, "quiet", "below 0: better than the reference", R"(font-size="12")");
    return y + 62;
  }

  [[nodiscard]] std::vector<double> ticks() const {
    std::vector<double> values{0};
    for (double power = 1e-6; power <= most_; power *= 10)
      for (double const factor : {1.0, 2.0, 5.0})
        if (factor * power >= most_ / 1000 && factor * power <= most_)
          values.push_back(std::stod(fmt::format("{:g}", factor * power)));
    double const end = std::floor(most_ * 100) / 100;  // the scale ends here
    if (end > values.back()) values.push_back(end);
    return values;
  }

  HeatMap const& map_;
  double most_ = 0;
  double left_ = 0;
  double top_ = 0;
  double right_ = 0;
  double width_ = 0;
  std::string body_;
};

}  // namespace

std::string heat_colour(double value, double most) {
  // Gains are small, so their colour changes faster: a tenth of the scale has the full colour.
  if (value < 0)
    return hex(between(scale.front(), gain, most > 0 ? std::min(1.0, std::sqrt(-10 * value / most)) : 1.0));
  double const part = most > 0 ? std::sqrt(std::min(value / most, 1.0)) : 0.0;
  double const place = part * static_cast<double>(scale.size() - 1);
  auto const below = std::min(static_cast<std::size_t>(place), scale.size() - 2);
  return hex(between(scale[below], scale[below + 1], place - static_cast<double>(below)));
}

bool dark_text_on(std::string const& colour) {
  // The contrast of two luminances is (lighter + 0.05) / (darker + 0.05). The dark text has the luminance 0.011.
  double const background = luminance(colour);
  return (background + 0.05) / 0.061 >= 1.05 / (background + 0.05);
}

std::string svg_heat_map(HeatMap const& map) { return Picture(map).draw(); }

}  // namespace fltr::examples
