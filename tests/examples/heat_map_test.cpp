#include "support/heat_map.hpp"

#include <cstddef>
#include <string>

#include "support/catch.hpp"

using namespace fltr::examples;

namespace {

std::size_t count(std::string const& text, std::string const& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

}  // namespace

TEST_CASE("Colours get darker with the value, and values below 0 have their own colour") {
  CHECK(heat_colour(0, 1) == "#fffae1");
  CHECK(heat_colour(1, 1) == "#441052");
  CHECK(heat_colour(2, 1) == heat_colour(1, 1));
  CHECK(heat_colour(0.04, 1) == "#fed986");  // the square root .2 is the second of six colours
  CHECK(heat_colour(-1, 1) == "#78b2e2");
  CHECK(heat_colour(0, 0) == heat_colour(0, 1));
}

TEST_CASE("Text in a cell is dark on light colours and light on dark ones") {
  CHECK(dark_text_on("#ffffff"));
  CHECK(dark_text_on("#fed986"));
  CHECK_FALSE(dark_text_on("#000000"));
  CHECK_FALSE(dark_text_on("#441052"));
}

TEST_CASE("A heat map has a coloured cell per value, and text without a colour elsewhere") {
  HeatMap const map{.title = "a < b",
                    .subtitle = "below the title",
                    .legend = "nDCG lost",
                    .columns = {"one", "two"},
                    .rows = {{"group", {}},
                             {"first", {{.value = 0.5, .text = ".500", .title = "0.5 [0.4, 0.6]"}, {.text = "n/a"}}},
                             {"last", {{.value = -0.1, .text = "-.100", .below = "[-.2, .0]"}, {.text = "-"}}, true}},
                    .notes = {"a note & more"}};
  std::string const svg = svg_heat_map(map);
  CHECK(svg.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\""));
  CHECK(svg.ends_with("</svg>\n"));
  CHECK(count(svg, "<g>") == 4);
  CHECK(count(svg, "<g>") == count(svg, "</g>"));
  CHECK(count(svg, "class=\"none\"") == 2);
  CHECK(count(svg, heat_colour(0.5, 0.5)) >= 1);
  CHECK(count(svg, "<title>0.5 [0.4, 0.6]</title>") == 1);
  CHECK(count(svg, ">[-.2, .0]</text>") == 1);
  CHECK(count(svg, "a &lt; b") == 2);
  CHECK(count(svg, "a note &amp; more") == 1);
  CHECK(count(svg, "prefers-color-scheme: dark") == 1);
  CHECK(svg.find("nan") == std::string::npos);
}

TEST_CASE("A heat map without numbers is still a picture") {
  std::string const svg = svg_heat_map({.title = "empty", .legend = "", .columns = {}, .rows = {}});
  CHECK(svg.ends_with("</svg>\n"));
  CHECK(svg.find("nan") == std::string::npos);
  CHECK(svg.find("inf") == std::string::npos);
}
