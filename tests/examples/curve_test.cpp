#include "support/curve.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "support/axis.hpp"
#include "support/catch.hpp"
#include "support/text.hpp"

using namespace fltr::examples;

namespace {

constexpr double missing = std::numeric_limits<double>::quiet_NaN();
constexpr double inf = std::numeric_limits<double>::infinity();

Chart chart_of(std::vector<double> x, std::vector<double> y, std::vector<double> deviation = {}) {
  return {.title = "a title",
          .subtitle = "a subtitle",
          .x_label = "round",
          .y_label = "nDCG@10",
          .series = {{.label = "offline", .x = std::move(x), .y = std::move(y), .deviation = std::move(deviation)}}};
}

/// A strict reader for the XML of svg_chart: elements are nested, attributes are quoted, text is escaped.
bool well_formed(std::string_view xml) {
  std::vector<std::string> open;
  std::size_t roots = 0;
  while (!xml.empty()) {
    if (xml.front() != '<') {
      std::size_t const end = std::min(xml.find('<'), xml.size());
      std::string_view text = xml.substr(0, end);
      if (text.find('>') != std::string_view::npos) return false;
      for (std::size_t at; (at = text.find('&')) != std::string_view::npos; text.remove_prefix(at + 1)) {
        auto const rest = text.substr(at);
        if (!rest.starts_with("&amp;") && !rest.starts_with("&lt;") && !rest.starts_with("&gt;") &&
            !rest.starts_with("&quot;"))
          return false;
      }
      xml.remove_prefix(end);
      continue;
    }
    std::size_t end = 1;
    for (bool quoted = false; end < xml.size() && (quoted || xml[end] != '>'); ++end) {
      if (xml[end] == '"') quoted = !quoted;
      if (quoted && xml[end] == '<') return false;
    }
    if (end == xml.size()) return false;
    std::string const tag(xml.substr(1, end - 1));
    std::string const name = tag.substr(0, tag.find_first_of(" /", 1));
    if (tag.front() == '/') {
      if (open.empty() || "/" + open.back() != tag) return false;
      open.pop_back();
    } else if (tag.back() != '/') {
      if (open.empty()) ++roots;
      open.push_back(name);
    }
    xml.remove_prefix(end + 1);
  }
  return open.empty() && roots == 1;
}

}  // namespace

TEST_CASE("The XML reader of this test refuses XML that is not well-formed") {
  CHECK(well_formed("<a b=\"1\"><c/>x &amp; y</a>\n"));
  CHECK_FALSE(well_formed("<a><b></a></b>"));
  CHECK_FALSE(well_formed("<a>x & y</a>"));
  CHECK_FALSE(well_formed("<a b=\"<\"></a>"));
  CHECK_FALSE(well_formed("<a>"));
  CHECK_FALSE(well_formed("<a></a><b></b>"));
}

TEST_CASE("Ticks are round numbers inside the axis") {
  Axis const a({0.2413, 0.4621}, 7, false);
  CHECK(a.ticks().size() >= 3);
  CHECK(a.ticks().size() <= 7);
  CHECK(a.ticks().front() == Approx(0.25));
  CHECK(a.label(a.ticks().front()) == "0.25");
  CHECK(a.part(0.2413) == 0.0);
  CHECK(a.part(0.4621) == 1.0);

  Axis rounds({0, 1000}, 9, true);
  CHECK(rounds.ticks() == std::vector<double>{0, 200, 400, 600, 800, 1000});
  CHECK(rounds.label(1000) == "1000");
  CHECK(Axis({0, 3}, 9, true).ticks() == std::vector<double>{0, 1, 2, 3});  // no half rounds
  CHECK(Axis({0, 40'000}, 9, true).label(40'000) == "40,000");

  Axis widened({0.2413, 0.4621}, 7, false);
  widened.widen_to_ticks();
  CHECK(widened.low() == Approx(0.2));
  CHECK(widened.high() == Approx(0.5));
}

TEST_CASE("An axis is finite, and has at least two ticks, for any values") {
  std::vector<std::vector<double>> const cases{{},      {missing},   {inf, -inf},     {0},
                                               {0.5},   {-3},        {1e-12},         {1e12, 1e12},
                                               {-1, 1}, {1e-9, 1e9}, {-1e200, 1e200}, {0.7, 0.7 + 1e-15}};
  for (auto const& values : cases) {
    for (bool const wnan : {false, true}) {
      Axis axis(values, 7, wnan);
      CHECK(std::isfinite(axis.low()));
      CHECK(axis.low() < axis.high());
      axis.widen_to_ticks();
      CHECK(axis.low() < axis.high());
      CHECK(axis.ticks().size() >= 2);
      CHECK(axis.ticks().size() <= 100);
    }
  }
}

TEST_CASE("The SVG is well-formed for any chart") {
  std::vector<Chart> charts{
      chart_of({}, {}),
      chart_of({0}, {0.5}),
      chart_of({0, 1, 2}, {0.5, 0.5, 0.5}),
      chart_of({0, 1, 2, 3, 4}, {missing, 0.1, inf, 0.3, missing}),
      chart_of({missing, inf}, {missing, -inf}),
      chart_of({0, 1, 2}, {0.1, 0.2, 0.3}, {0.01, missing, 0.02}),
      chart_of({0, 1}, {-1e308, 1e308}),
      chart_of({0, 1, 2}, {0.1, 0.2, 0.3}, {0.01}),  // the deviations are too short: no band
  };
  Chart odd = chart_of({0, 1}, {0, 1});
  odd.title = "<script>alert(\"&\")</script>";
  using namespace std::string_literals;
  odd.subtitle = "zero \0 and \xff\xfe and ]]>"s;
  odd.series.front().label = "a & b";
  charts.push_back(odd);
  charts.push_back({.title = "", .x_label = "", .y_label = "", .series = {}});
  for (Chart const& chart : charts) {
    std::string const svg = svg_chart(chart);
    CAPTURE(svg);
    CHECK(well_formed(svg));
    CHECK(svg.find("<script") == std::string::npos);
    CHECK(svg.find("nan") == std::string::npos);
    CHECK(svg.find("inf") == std::string::npos);
    CHECK(svg.find('\0') == std::string::npos);
    CHECK(svg.size() < 20'000);
  }
}

TEST_CASE("The SVG draws lines, gaps and bands") {
  auto const count = [](std::string const& text, std::string_view word) {
    std::size_t found = 0;
    for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++found;
    return found;
  };
  std::string const gap = svg_chart(chart_of({0, 1, 2, 3, 4, 5}, {0.1, 0.2, missing, 0.3, missing, 0.4}));
  CHECK(count(gap, "<polyline") == 1);  // two points together
  CHECK(count(gap, "<circle") == 2);    // and two alone
  CHECK(count(gap, "<polygon") == 0);
  std::string const band = svg_chart(chart_of({0, 1, 2}, {0.1, 0.2, 0.3}, {0.01, 0.01, 0.02}));
  CHECK(count(band, "<polygon") == 1);
  Chart two = chart_of({0, 1}, {0, 1});
  two.series.push_back({.label = "online", .x = {0, 1}, .y = {0, 0.5}, .style = Series::Style::dashed});
  CHECK(count(svg_chart(two), "stroke-dasharray") == 2);  // the line and its legend
  CHECK(count(svg_chart(two), ">online<") == 1);
}

TEST_CASE("A rising series gives a rising curve in the terminal") {
  Chart chart = chart_of({}, {});
  for (int i = 0; i <= 100; ++i) {
    chart.series.front().x.push_back(i);
    chart.series.front().y.push_back(i / 100.0);
  }
  std::string const text = terminal_chart(chart, 60, false, 11);
  CAPTURE(text);
  auto const lines = split_text(text, '\n');
  std::size_t last = 1000;
  std::size_t drawn = 0;
  for (std::size_t row = 1; row < lines.size(); ++row) {
    std::size_t const star = lines[row].find('*');
    if (star == std::string::npos) continue;
    CHECK(star < last);  // further to the left on every lower row
    last = star;
    ++drawn;
  }
  CHECK(drawn == 11);
  CHECK_THAT(lines[1], ContainsSubstring("1.0 +"));
  CHECK_THAT(lines[11], ContainsSubstring("0.0 +*"));
  CHECK_THAT(lines[13], ContainsSubstring(" 100"));
}

TEST_CASE("The terminal chart keeps to its width and its character set") {
  std::vector<Chart> charts{chart_of({0}, {0.5}), chart_of({0, 1, 2}, {0.5, 0.5, 0.5}),
                            chart_of({0, 1, 2, 3}, {missing, 0.1, inf, 0.3}),
                            chart_of({0, 100'000}, {0.123456, 0.123457}), chart_of({5, 6}, {-1e-9, 1e9})};
  for (Chart const& chart : charts)
    for (std::size_t const width : {1U, 20U, 40U, 72U, 120U, 400U})
      for (bool const utf8 : {false, true}) {
        std::string const text = terminal_chart(chart, width, utf8);
        CAPTURE(text, width, utf8);
        CHECK_FALSE(text.empty());
        for (std::string const& line : split_text(text, '\n'))
          CHECK(character_count(line) <= std::max<std::size_t>(width, 32));
        bool ascii = true;
        for (char const c : text) ascii = ascii && static_cast<unsigned char>(c) < 0x80;
        CHECK(ascii == !utf8);
      }
  CHECK(terminal_chart(chart_of({}, {}), 72, true).empty());
  CHECK(terminal_chart(chart_of({1, 2}, {missing, missing}), 72, true).empty());
  CHECK(terminal_chart({.title = "", .x_label = "", .y_label = "", .series = {}}, 72, true).empty());
}

TEST_CASE("Braille cells hold the dots of their columns") {
  // A constant line in the middle: three rows of four dots, from top to bottom 0 … 11, middle 5.5 rounds to 6, the
  // third dot of the second row: dots 3 and 6, U+2824.
  Chart const chart = chart_of({0, 10}, {0.5, 0.5});
  std::string const text = terminal_chart(chart, 40, true, 2);
  CHECK_THAT(text, ContainsSubstring("\xE2\xA0\xA4\xE2\xA0\xA4\xE2\xA0\xA4"));
}

TEST_CASE("Long series are shortened to the limit") {
  Series series{.label = "x", .x = {}, .y = {}};
  for (int i = 0; i < 1000; ++i) {
    series.x.push_back(i);
    series.y.push_back(i % 2);
  }
  Series const means = binned(series, 100);
  CHECK(means.x.size() == 100);
  CHECK(means.x.front() == 4.5);
  for (double const y : means.y) CHECK(y == 0.5);
  Series const some = thinned(series, 100);
  CHECK(some.x.size() == 100);
  CHECK(some.x.front() == 0);
  CHECK(some.x.back() == 999);
  CHECK(thinned(series, 1000).x.size() == 1000);
}

namespace {

std::size_t times(std::string const& text, std::string_view word) {
  std::size_t found = 0;
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++found;
  return found;
}

/// The values of an attribute, in the order of the text.
std::vector<std::string> attributes(std::string const& svg, std::string const& element, std::string const& name) {
  std::vector<std::string> values;
  for (std::size_t at = svg.find('<' + element); at != std::string::npos; at = svg.find('<' + element, at + 1)) {
    std::size_t const from = svg.find(' ' + name + "=\"", at) + name.size() + 3;
    values.push_back(svg.substr(from, svg.find('"', from) - from));
  }
  return values;
}

}  // namespace

TEST_CASE("Intervals of several series stand beside each other and are cut off at the limits of the values") {
  Chart chart = chart_of({0, 1}, {0.3, 0.5}, {0.7, 0.1});
  chart.series[0].form = Series::Form::points;
  chart.series.push_back(chart.series[0]);
  chart.x_names = {"0.5", "1 & 2"};
  std::string const free = svg_chart(chart);
  CHECK(times(free, ">-0.") > 0);  // .3 - .7: nothing has such an nDCG
  chart.least_y = 0;
  chart.most_y = 1;
  std::string const svg = svg_chart(chart);
  CHECK(well_formed(svg));
  CHECK(times(svg, ">-") == 0);
  CHECK(times(svg, ">1 &amp; 2<") == 1);
  CHECK(times(svg, "<polygon") == 0);  // no bands, which would hide each other
  CHECK(times(svg, "<path") == 4);
  CHECK(times(svg, "h8") == 6);  // .3 + .7 = 1 and both ends of .5 ± .1 have caps, below 0 there is none
  auto const x = attributes(svg, "circle", "cx");
  REQUIRE(x.size() == 4);
  CHECK(std::set<std::string>(x.begin(), x.end()).size() == 4);
}

TEST_CASE("Bars begin at 0 and have names, values and intervals") {
  Chart chart = chart_of({0, 1, 2}, {0.5, 0.25, missing}, {0.1, 0, 0});
  chart.series[0].form = Series::Form::bars;
  chart.x_names = {"M1", "M2", "M3"};
  std::string const svg = svg_chart(chart);
  CHECK(well_formed(svg));
  auto const heights = attributes(svg, "rect", "height");  // the first is the background
  REQUIRE(heights.size() == 3);
  CHECK(std::stod(heights[1]) == Approx(2 * std::stod(heights[2])).epsilon(1e-3));
  CHECK(times(svg, "<path") == 1);
  for (char const* text : {">M1<", ">M2<", ">M3<", ">0.5000<", ">0.2500<"}) CHECK(times(svg, text) == 1);
  CHECK(times(svg, ">offline<") == 0);  // the names of the places are enough
}

TEST_CASE("Every style has its own colour") {
  std::set<std::string> colours;
  for (auto const style :
       {Series::Style::solid, Series::Style::dashed, Series::Style::thin, Series::Style::reference,
        Series::Style::second_reference, Series::Style::third_reference, Series::Style::second_solid}) {
    Chart chart = chart_of({0, 1}, {0, 1});
    chart.series[0].style = style;
    colours.insert(attributes(svg_chart(chart), "polyline", "stroke").at(0));
  }
  REQUIRE(colours.size() == 7);
  // Also for the eye: in red, green or blue each pair differs by a sixth of the range.
  auto const part = [](std::string const& colour, std::size_t i) {
    return std::stoi(colour.substr(1 + 2 * i, 2), nullptr, 16);
  };
  for (auto const& a : colours)
    for (auto const& b : colours) {
      int most = 0;
      for (std::size_t i = 0; i < 3; ++i) most = std::max(most, std::abs(part(a, i) - part(b, i)));
      CHECK((a == b || most >= 42));
    }
}
