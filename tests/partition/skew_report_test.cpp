#include <fltr/partition/skew_report.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "support/catch.hpp"

using fltr::jensen_shannon;
using Counts = std::vector<std::uint64_t>;

TEST_CASE("The Jensen-Shannon divergence is 0 for equal shares and 1 for shares without a common grade") {
  CHECK(jensen_shannon(Counts{1, 2, 3}, Counts{10, 20, 30}) == Approx(0.0).margin(1e-15));
  CHECK(jensen_shannon(Counts{5, 0, 0}, Counts{0, 1, 2}) == Approx(1.0).epsilon(1e-15));
  CHECK(jensen_shannon(Counts{0, 0}, Counts{1, 2}) == 0.0);
  CHECK(jensen_shannon(Counts{}, Counts{}) == 0.0);
}

TEST_CASE("The Jensen-Shannon divergence has the value of its closed form, and is symmetric") {
  // One of g equally likely grades: M has (g + 1) / 2g once and 1 / 2g otherwise. JSD = H(M) − log2(g) / 2.
  for (std::size_t const g : {2U, 3U, 5U}) {
    Counts const whole(g, 7);
    Counts one(g);
    one[g - 1] = 3;
    double const n = static_cast<double>(g);
    double const large = (n + 1) / (2 * n);
    double const small = 1 / (2 * n);
    double const entropy = -large * std::log2(large) - (n - 1) * small * std::log2(small);
    CHECK(jensen_shannon(one, whole) == Approx(entropy - std::log2(n) / 2).epsilon(1e-12));
    CHECK(jensen_shannon(whole, one) == Approx(jensen_shannon(one, whole)).epsilon(1e-12));
  }
}
