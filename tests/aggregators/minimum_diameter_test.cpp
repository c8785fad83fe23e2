#include <fltr/aggregators/minimum_diameter.hpp>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <numeric>
#include <span>
#include <vector>

#include <fltr/core/random.hpp>

#include "support/catch.hpp"

namespace {

using namespace fltr;
using Rows = std::vector<std::size_t>;

struct Best {
  double diameter = 0.0;
  Rows first;             ///< in lexicographic order
  std::size_t count = 0;  ///< subsets with this diameter
};

/// All subsets of `size` rows in lexicographic order.
Best best_of_all(MessageRows const& rows, std::size_t size) {
  detail::RowDistances const distances(rows);
  Best best;
  Rows chosen;
  std::function<void(std::size_t, double)> const extend = [&](std::size_t next, double diameter) {
    if (best.count > 0 && diameter > best.diameter) return;
    if (chosen.size() == size) {
      if (best.count == 0 || diameter < best.diameter) best = {diameter, chosen, 0};
      ++best.count;
      return;
    }
    for (std::size_t i = next; i < rows.clients(); ++i) {
      double larger = diameter;
      for (std::size_t const j : chosen) larger = std::max(larger, distances(i, j));
      chosen.push_back(i);
      extend(i + 1, larger);
      chosen.pop_back();
    }
  };
  extend(0, 0.0);
  return best;
}

}  // namespace

TEST_CASE("MinimumDiameter finds the first subset with the smallest diameter of all subsets") {
  Stream random(1);
  std::size_t unique = 0;
  for (int repeat = 0; repeat < 300; ++repeat) {
    std::size_t const n = 2 + random.below(11);
    std::size_t const f = random.below(static_cast<std::uint32_t>(n));
    std::size_t const d = 1 + random.below(3);
    bool const whole = random.bernoulli(0.3);  // whole numbers: many equal distances
    MessageRows rows(n, d);
    for (std::size_t i = 0; i < n; ++i)
      for (float& v : rows.row(i))
        v = whole ? static_cast<float>(random.below(4)) : static_cast<float>(random.normal());
    auto const best = best_of_all(rows, n - f);
    CHECK(MinimumDiameter{.malicious = f}.select(rows) == best.first);
    if (best.count > 1) continue;
    // The only such subset is found in any order of the rows.
    ++unique;
    Rows order(n);
    std::iota(order.begin(), order.end(), std::size_t{0});
    random.shuffle(std::span(order));
    MessageRows other(n, d);
    for (std::size_t i = 0; i < n; ++i) std::ranges::copy(rows.row(order[i]), other.row(i).begin());
    auto chosen = MinimumDiameter{.malicious = f}.select(other);
    for (auto& row : chosen) row = order[row];
    std::ranges::sort(chosen);
    CHECK(chosen == best.first);
  }
  CHECK(unique > 50);
}

TEST_CASE("MinimumDiameter of two triangles, whose corners are farther from each other than from the other triangle") {
  // Squared distances: 18 within a triangle, 12 between the triangles. Four corners must be left out for diameter 12.
  MessageRows rows(6, 6);
  for (std::size_t i = 0; i < 6; ++i)
    for (std::size_t k = 0; k < 3; ++k) rows.row(i)[3 * (i / 3) + k] = i % 3 == k ? 2.0F : -1.0F;
  CHECK(MinimumDiameter{.malicious = 4}.select(rows) == Rows{0, 3});
  CHECK(MinimumDiameter{.malicious = 3}.select(rows) == Rows{0, 1, 2});
  CHECK(MinimumDiameter{.malicious = 2}.select(rows) == Rows{0, 1, 2, 3});
}

TEST_CASE("MinimumDiameter refuses a search with more steps than most_steps") {
  Stream random(2);
  MessageRows rows(40, 3);
  for (std::size_t i = 0; i < 40; ++i)
    for (float& v : rows.row(i)) v = static_cast<float>(random.normal());
  CHECK_THROWS_WITH((MinimumDiameter{.malicious = 12, .most_steps = 20}.select(rows)),
                    "MinimumDiameter: required a search of at most 20 steps (most_steps), got a longer one for 40 "
                    "messages with 12 of them malicious");
  CHECK(MinimumDiameter{.malicious = 12}.select(rows).size() == 28);
}

TEST_CASE("MinimumDiameter of many clients with far outliers needs at most 2 f log2(n²) steps") {
  MessageRows rows(300, 4);
  Stream random(3);
  Rows honest;
  for (std::size_t i = 0; i < 300; ++i) {
    if (i % 3 != 0) honest.push_back(i);
    for (float& v : rows.row(i)) v = i % 3 == 0 ? 1e6F : static_cast<float>(random.normal());
  }
  CHECK(MinimumDiameter{.malicious = 100, .most_steps = 3300}.select(rows) == honest);
}
