#include <fltr/metrics/kendall_tau.hpp>

#include <cmath>
#include <stdexcept>
#include <vector>

#include "support/catch.hpp"

using fltr::kendall_tau;
using Scores = std::vector<float>;

TEST_CASE("Kendall's tau is 1 for the same order and -1 for the reverse one, whatever the scale") {
  Scores const a{1, 2, 3, 4};
  CHECK(kendall_tau(a, Scores{10, 200, 3000, 3001}).value() == 1.0);
  CHECK(kendall_tau(a, Scores{4, 3, 2, -1}).value() == -1.0);
}

TEST_CASE("Kendall's tau counts pairs; tied pairs leave the denominator (tau-b)") {
  CHECK(kendall_tau(Scores{1, 2, 3, 4}, Scores{1, 3, 2, 4}).value() ==
        Approx(4.0 / 6));  // one of six pairs is reversed
  // By hand: pairs 1-2 tied in a; 2-3 tied in b. Concordant 13, 14, 24, 34, of 5 and 5 untied pairs.
  CHECK(kendall_tau(Scores{1, 1, 2, 3}, Scores{1, 2, 2, 3}).value() == Approx(4.0 / 5));
  CHECK(kendall_tau(Scores{1, 1, 2}, Scores{1, 2, 3}).value() == Approx(2.0 / std::sqrt(2.0 * 3.0)));
}

TEST_CASE("Kendall's tau is not defined without two different scores, and for lists of different sizes") {
  CHECK_FALSE(kendall_tau(Scores{1, 1, 1}, Scores{1, 2, 3}));
  CHECK_FALSE(kendall_tau(Scores{1, 2, 3}, Scores{0, 0, 0}));
  CHECK_FALSE(kendall_tau(Scores{1}, Scores{2}));
  CHECK_FALSE(kendall_tau(Scores{}, Scores{}));
  CHECK_THROWS_AS(kendall_tau(Scores{1, 2}, Scores{1}), std::invalid_argument);
}
