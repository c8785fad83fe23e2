#include <fltr/partition/logging_options.hpp>

#include <cmath>
#include <stdexcept>
#include <vector>

#include "support/catch.hpp"

using namespace fltr;

TEST_CASE("Of 2 or 3 grades those from 1 on attract clicks, of 5 grades those from 3 on") {
  CHECK(attractive_grades(2) == std::vector<double>{.1, 1});
  CHECK(attractive_grades(3) == std::vector<double>{.1, 1, 1});
  CHECK(attractive_grades(5) == std::vector<double>{.1, .1, .1, 1, 1});
}

TEST_CASE("LoggingOptions refuses values outside their ranges") {
  CHECK_NOTHROW(LoggingOptions{}.check());
  CHECK_THROWS_WITH(LoggingOptions{.clicks = 0}.check(),
                    "LoggingOptions: required at least one click per round, got 0");
  CHECK_THROWS_WITH(LoggingOptions{.most_lists = 0}.check(), "LoggingOptions: required most_lists >= 1, got 0");
  CHECK_THROWS_WITH(LoggingOptions{.exponent = -0.5}.check(),
                    "LoggingOptions: required a finite exponent >= 0, got -0.5");
  CHECK_THROWS_AS(LoggingOptions{.exponent = std::nan("")}.check(), std::invalid_argument);
  CHECK_THROWS_AS(LoggingOptions{.displayed = 0}.check(), std::invalid_argument);
  CHECK_THROWS_AS(LoggingOptions{.clients = 0}.check(), std::invalid_argument);
  CHECK_THROWS_WITH((LoggingOptions{.attractive = {.1, 1, 2}}.check()),
                    "LoggingOptions: required probabilities in [0, 1] as attractive, got 2");
}
