#include <fltr/core/serial.hpp>

#include <cstddef>
#include <stdexcept>
#include <vector>

#include <fltr/concepts/execution.hpp>

#include "support/catch.hpp"
#include "support/merge_order.hpp"

namespace {

using fltr::Serial;
using fltr::testing::MergeOrder;

}  // namespace

TEST_CASE("Serial merges in the order of reduce_tree") {
  auto const leaf = [](std::size_t i) { return MergeOrder::leaf(i); };
  CHECK(Serial{}.reduce(1, leaf).text == "0");
  CHECK(Serial{}.reduce(6, leaf).text == "(((0 1) (2 3)) (4 5))");
}

TEST_CASE("Serial computes every leaf once, in order") {
  std::vector<std::size_t> seen;
  (void)Serial{}.reduce(10, [&](std::size_t i) {
    seen.push_back(i);
    return MergeOrder::leaf(i);
  });
  CHECK(seen == std::vector<std::size_t>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
}

TEST_CASE("Serial passes on the exception of a leaf") {
  CHECK_THROWS_WITH(Serial{}.reduce(10,
                                    [](std::size_t i) {
                                      if (i == 7) throw std::runtime_error("leaf 7");
                                      return MergeOrder::leaf(i);
                                    }),
                    "leaf 7");
}

TEST_CASE("for_each_block calls the function once for each block, and not at all for 0 blocks") {
  std::vector<int> count(37);
  fltr::for_each_block(Serial{}, count.size(), [&](std::size_t b) { ++count[b]; });
  CHECK(count == std::vector<int>(37, 1));
  fltr::for_each_block(Serial{}, 0, [&](std::size_t) { FAIL("called for 0 blocks"); });
}
