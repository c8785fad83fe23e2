#include "support/shuffled.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

#include <fltr/execution/serial.hpp>

#include "support/bracketed.hpp"
#include "support/catch.hpp"

namespace {

using fltr::testing::Bracketed;
using fltr::testing::Shuffled;

std::vector<std::size_t> order_of(Shuffled const& execution, std::size_t blocks) {
  std::vector<std::size_t> seen;
  (void)execution.reduce(blocks, [&](std::size_t i) {
    seen.push_back(i);
    return Bracketed::leaf(i);
  });
  return seen;
}

}  // namespace

TEST_CASE("Shuffled runs every leaf once, in an order of its seed") {
  auto const first = order_of(Shuffled{1}, 50);
  CHECK(!std::ranges::is_sorted(first));
  CHECK(first != order_of(Shuffled{2}, 50));
  CHECK(first == order_of(Shuffled{1}, 50));
  auto sorted = first;
  std::ranges::sort(sorted);
  for (std::size_t i = 0; i < 50; ++i) CHECK(sorted[i] == i);
}

TEST_CASE("Shuffled joins as Serial does") {
  auto const leaf = [](std::size_t i) { return Bracketed::leaf(i); };
  for (std::size_t blocks = 1; blocks < 40; ++blocks)
    CHECK(Shuffled{blocks}.reduce(blocks, leaf).text == fltr::Serial{}.reduce(blocks, leaf).text);
}
