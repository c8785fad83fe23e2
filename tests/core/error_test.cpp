#include <fltr/core/error.hpp>

#include <limits>
#include <stdexcept>
#include <string>

#include "support/catch.hpp"

TEST_CASE("The message of require has the name, the requirement and the value") {
  CHECK_NOTHROW(fltr::require(true, "Clip", "a bound > 0", 1.0));
  CHECK_THROWS_AS(fltr::require(false, "Clip", "a bound > 0", -1.5), std::invalid_argument);
  CHECK_THROWS_WITH(fltr::require(false, "Clip", "a bound > 0", -1.5), "Clip: required a bound > 0, got -1.5");
  CHECK_THROWS_WITH(fltr::require(false, "Population", "participants that differ", "the same one twice"),
                    "Population: required participants that differ, got the same one twice");
  CHECK_THROWS_WITH(fltr::throw_requirement("Sampled", "1 to all clients per round", 0U),
                    "Sampled: required 1 to all clients per round, got 0");
}

TEST_CASE("A condition of the form x > 0 is false for NaN") {
  double const nan = std::numeric_limits<double>::quiet_NaN();
  CHECK_THROWS_WITH(fltr::require(nan > 0, "Clip", "a bound > 0", nan), "Clip: required a bound > 0, got nan");
}

TEST_CASE("A ParseError has the file, the line, the column and the expectation") {
  fltr::ParseError const error("train.txt", 12, 34, "expected qid:<id>");
  CHECK(std::string(error.what()) == "train.txt:12:34: expected qid:<id>");
  CHECK(error.line() == 12);
  CHECK(error.column() == 34);
  CHECK_THROWS_AS(throw error, std::runtime_error);
}

TEST_CASE("A FormatError has its message") {
  CHECK_THROWS_WITH(throw fltr::FormatError("not a message of fltr"), "not a message of fltr");
  CHECK_THROWS_AS(throw fltr::FormatError("x"), std::runtime_error);
}
