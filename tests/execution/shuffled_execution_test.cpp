#include "support/shuffled_execution.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

#include <fltr/core/serial.hpp>

#include "support/catch.hpp"
#include "support/merge_order.hpp"

namespace {

using fltr::testing::MergeOrder;
using fltr::testing::ShuffledExecution;

std::vector<std::size_t> order_of(ShuffledExecution const& execution, std::size_t blocks) {
  std::vector<std::size_t> seen;
  (void)execution.reduce(blocks, [&](std::size_t i) {
    seen.push_back(i);
    return MergeOrder::leaf(i);
  });
  return seen;
}

}  // namespace

TEST_CASE("ShuffledExecution runs every leaf once, in an order of its seed") {
  auto const first = order_of(ShuffledExecution{1}, 50);
  CHECK(!std::ranges::is_sorted(first));
  CHECK(first != order_of(ShuffledExecution{2}, 50));
  CHECK(first == order_of(ShuffledExecution{1}, 50));
  auto sorted = first;
  std::ranges::sort(sorted);
  for (std::size_t i = 0; i < 50; ++i) CHECK(sorted[i] == i);
}

TEST_CASE("ShuffledExecution joins as Serial does") {
  auto const leaf = [](std::size_t i) { return MergeOrder::leaf(i); };
  for (std::size_t blocks = 1; blocks < 40; ++blocks)
    CHECK(ShuffledExecution{blocks}.reduce(blocks, leaf).text == fltr::Serial{}.reduce(blocks, leaf).text);
}
