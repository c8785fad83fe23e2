#include <fltr/click_guesses/guess_quality.hpp>

#include <cmath>
#include <cstdint>
#include <vector>

#include "support/catch.hpp"

namespace {

using Bits = std::vector<std::uint8_t>;
using fltr::GuessCounts;
using fltr::GuessQuality;

}  // namespace

TEST_CASE("Quality of two lists, computed by hand") {
  GuessQuality quality;
  // 2 of 3 clicks guessed, 1 of 5 others guessed wrongly.
  quality.add(GuessCounts::of(Bits{1, 1, 0, 1, 0, 0, 0, 0}, Bits{1, 1, 1, 0, 0, 0, 0, 0}));
  // No guess at all: it counts for accuracy, recall and balanced accuracy, not for precision.
  quality.add(GuessCounts::of(Bits{0, 0, 0, 0}, Bits{1, 0, 0, 0}));
  CHECK(quality.lists() == 2);
  CHECK(quality.accuracy() == Approx((6.0 / 8 + 3.0 / 4) / 2));
  CHECK(quality.precision() == Approx(2.0 / 3));
  CHECK(quality.recall() == Approx((2.0 / 3 + 0.0) / 2));
  CHECK(quality.balanced_accuracy() == Approx(((2.0 / 3 + 4.0 / 5) / 2 + (0.0 + 1.0) / 2) / 2));
}

TEST_CASE("A list without a click does not count") {
  GuessQuality quality;
  quality.add(GuessCounts::of(Bits{1, 0}, Bits{0, 0}));
  CHECK(quality.lists() == 0);
  CHECK(std::isnan(quality.accuracy()));
  CHECK(std::isnan(quality.balanced_accuracy()));
}

TEST_CASE("A list in which every document is clicked has no balanced accuracy") {
  GuessQuality quality;
  quality.add(GuessCounts::of(Bits{1, 0}, Bits{1, 1}));
  CHECK(quality.accuracy() == 0.5);
  CHECK(std::isnan(quality.balanced_accuracy()));
}

TEST_CASE("Guesses that are the same for every list have balanced accuracy 1/2") {
  for (std::uint8_t const always : {std::uint8_t{0}, std::uint8_t{1}}) {
    GuessQuality quality;
    quality.add(GuessCounts::of(Bits(5, always), Bits{1, 0, 0, 1, 0}));
    quality.add(GuessCounts::of(Bits(3, always), Bits{0, 0, 1}));
    CHECK(quality.balanced_accuracy() == 0.5);
  }
}

TEST_CASE("The advantage is the balanced accuracy above that of the control") {
  fltr::GuessAdvantage both;
  both.target.add(GuessCounts::of(Bits{1, 0, 0, 0}, Bits{1, 0, 0, 0}));
  both.control.add(GuessCounts::of(Bits{1, 1, 0, 0}, Bits{1, 0, 0, 0}));
  CHECK(both.advantage() == Approx(1.0 - (1.0 + 2.0 / 3) / 2));
}

TEST_CASE("Guesses and clicks of different numbers are refused") {
  CHECK_THROWS_WITH(GuessCounts::of(Bits{1}, Bits{1, 0}),
                    ContainsSubstring("required as many guesses as documents, got 1"));
}
