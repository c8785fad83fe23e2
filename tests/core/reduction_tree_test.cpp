#include <fltr/core/reduction_tree.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/merge_order.hpp"

namespace {

using fltr::testing::MergeOrder;

std::string joined(std::size_t low, std::size_t high) {
  return fltr::reduce_tree(low, high, [](std::size_t i) { return MergeOrder::leaf(i); }).text;
}

}  // namespace

TEST_CASE("reduce_tree cuts at the largest power of two that leaves a leaf in the right part") {
  CHECK(joined(0, 1) == "0");
  CHECK(joined(0, 2) == "(0 1)");
  CHECK(joined(0, 3) == "((0 1) 2)");
  CHECK(joined(0, 4) == "((0 1) (2 3))");
  CHECK(joined(0, 5) == "(((0 1) (2 3)) 4)");
  CHECK(joined(0, 6) == "(((0 1) (2 3)) (4 5))");
  CHECK(joined(0, 7) == "(((0 1) (2 3)) ((4 5) 6))");
  CHECK(joined(0, 8) == "(((0 1) (2 3)) ((4 5) (6 7)))");
  CHECK(joined(0, 9) == "((((0 1) (2 3)) ((4 5) (6 7))) 8)");
  CHECK(joined(10, 13) == "((10 11) 12)");
}

TEST_CASE("tree_cut leaves leaves in both parts, and a power of two of them in the left part") {
  using fltr::tree_cut;
  STATIC_REQUIRE(tree_cut(0, 2) == 1);
  STATIC_REQUIRE(tree_cut(100, 102) == 101);
  STATIC_REQUIRE(tree_cut(0, 1024) == 512);
  STATIC_REQUIRE(tree_cut(0, 1025) == 1024);
  for (std::size_t n = 2; n < 300; ++n) {
    std::size_t const left = tree_cut(7, 7 + n) - 7;
    std::size_t power = 1;
    while (2 * power < n) power *= 2;
    CHECK(left == power);
  }
}

TEST_CASE("reduce_tree computes every leaf once, in ascending order") {
  for (std::size_t const n : {1U, 2U, 3U, 31U, 32U, 33U, 100U}) {
    std::vector<std::size_t> seen;
    auto const result = fltr::reduce_tree(0, n, [&](std::size_t i) {
      seen.push_back(i);
      return MergeOrder::leaf(i);
    });
    CHECK(std::ranges::is_sorted(seen));
    CHECK(seen.size() == n);
    CHECK(std::ranges::count(result.text, '(') == static_cast<std::ptrdiff_t>(n - 1));
  }
}
