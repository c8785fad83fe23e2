#include <fltr/execution/serial.hpp>

#include <cstddef>
#include <stdexcept>
#include <vector>

#include "support/bracketed.hpp"
#include "support/catch.hpp"

namespace {

using fltr::Serial;
using fltr::testing::Bracketed;

}  // namespace

TEST_CASE("Serial joins in the fixed tree") {
  auto const leaf = [](std::size_t i) { return Bracketed::leaf(i); };
  CHECK(Serial{}.reduce(1, leaf).text == "0");
  CHECK(Serial{}.reduce(6, leaf).text == "(((0 1) (2 3)) (4 5))");
}

TEST_CASE("Serial runs every leaf once, in order, on the calling thread") {
  std::vector<std::size_t> seen;
  (void)Serial{}.reduce(10, [&](std::size_t i) {
    seen.push_back(i);
    return Bracketed::leaf(i);
  });
  CHECK(seen == std::vector<std::size_t>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
}

TEST_CASE("an exception of a leaf leaves Serial") {
  CHECK_THROWS_WITH(Serial{}.reduce(10,
                                    [](std::size_t i) {
                                      if (i == 7) throw std::runtime_error("leaf 7");
                                      return Bracketed::leaf(i);
                                    }),
                    "leaf 7");
}

TEST_CASE("for_each_block: every block once, none of none") {
  std::vector<int> count(37);
  fltr::for_each_block(Serial{}, count.size(), [&](std::size_t b) { ++count[b]; });
  CHECK(count == std::vector<int>(37, 1));
  fltr::for_each_block(Serial{}, 0, [&](std::size_t) { FAIL("a block of none"); });
}
