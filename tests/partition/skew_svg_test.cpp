#include <fltr/partition/skew_svg.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

#include "support/catch.hpp"

using fltr::SkewReport;

namespace {

SkewReport clients_of_one_grade(std::uint32_t count) {
  SkewReport report;
  report.whole.assign(5, 0);
  for (std::uint32_t i = 0; i < count; ++i) {
    report.clients.push_back({i, 1 + 2 * (i % 5), 3, 10, 0.5});
    for (std::uint32_t grade = 0; grade < 5; ++grade) {
      report.grade_counts.push_back(grade == i % 5 ? 10 : 0);
      report.whole[grade] += report.grade_counts.back();
    }
    report.documents += 10;
  }
  return report;
}

std::size_t occurrences(std::string const& text, std::string const& part) {
  std::size_t count = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

}  // namespace

TEST_CASE("The picture has a bar for each client and one for the whole") {
  std::string const picture = fltr::svg(clients_of_one_grade(10));
  CHECK(picture.starts_with("<svg "));
  CHECK(picture.ends_with("</svg>\n"));
  CHECK(occurrences(picture, "<g>") == 11);
  CHECK(occurrences(picture, "<title>client ") == 10);
  CHECK(picture.find("One bar per client") != std::string::npos);
  CHECK(picture.find("grades only: intents, click behaviour and quantity do not count") != std::string::npos);
  // 1 background, 10 bars of one grade, 5 grades of the whole, 10 bars of interactions, 5 entries of the legend.
  CHECK(occurrences(picture, "<rect ") == 31);
}

TEST_CASE("Of more than 60 clients the picture has 60, and says so") {
  std::string const picture = fltr::svg(clients_of_one_grade(1000));
  CHECK(occurrences(picture, "<title>client ") == 60);
  CHECK(picture.find("60 of 1000 clients, evenly spaced in the order of mean grade") != std::string::npos);
  // Evenly spaced in that order: 12 of each grade.
  CHECK(occurrences(picture, " interactions per round") == 60);
  CHECK(occurrences(picture, ", 9 interactions per round") == 12);
}

TEST_CASE("The numbers of the picture have a decimal point and five significant digits") {
  SkewReport report = clients_of_one_grade(10);
  report.mean_divergence = 0.0625;
  std::string const picture = fltr::svg(report);
  CHECK(picture.find("mean divergence from the whole 0.062<") != std::string::npos);  // a tie goes to the even digit
  // 12.5 steps in 630 pixels: a step is 50.4 pixels, a bar 0.85 steps, and the middle of the first is at 0.75 steps.
  CHECK(picture.find("<rect x=\"76.38\" y=\"64\" width=\"42.84\" height=\"260\" ") != std::string::npos);
  // The second client has 3 of at most 9 interactions: a third of 80 pixels, above 448.
  CHECK(picture.find("<rect x=\"126.78\" y=\"421.33\" width=\"42.84\" height=\"26.667\" ") != std::string::npos);
  CHECK(picture.find(">0.5</text>") != std::string::npos);  // the middle of the axis of shares
  CHECK(picture.find(">4.5</text>") != std::string::npos);  // the middle of the axis of interactions
}

TEST_CASE("A report without clients or without documents gives a picture") {
  CHECK(fltr::svg(SkewReport{}).ends_with("</svg>\n"));
  SkewReport nothing;
  nothing.clients.resize(2);
  CHECK(occurrences(fltr::svg(nothing), "<title>client ") == 2);
}
