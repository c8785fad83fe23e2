#include <fltr/core/top_k.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

#include <fltr/core/random.hpp>

#include "support/catch.hpp"

namespace {

using fltr::TieOrder;
using Order = std::vector<std::uint32_t>;

Order top(std::vector<float> const& scores, std::size_t k, TieOrder ties = TieOrder::row) {
  Order order{99, 98};  // the old contents are overwritten
  fltr::top_k(scores, k, order, ties);
  return order;
}

/// A stable sort of all documents, in the order of the file or in the reverse order.
Order sorted(std::vector<float> const& scores, std::size_t k, TieOrder ties) {
  Order order(scores.size());
  std::iota(order.begin(), order.end(), 0U);
  if (ties == TieOrder::reverse) std::ranges::reverse(order);
  std::ranges::stable_sort(order, [&](std::uint32_t a, std::uint32_t b) {
    float const x = scores[a];
    float const y = scores[b];
    if (std::isnan(x) || std::isnan(y)) return !std::isnan(x) && std::isnan(y);
    return x > y;
  });
  order.resize(std::min(k, scores.size()));
  return order;
}

}  // namespace

TEST_CASE("top_k gives the order that was computed by hand, with and without ties") {
  std::vector<float> const scores{0.5F, 2.0F, -1.0F, 2.0F, 0.5F};
  CHECK(top(scores, 3) == Order{1, 3, 0});
  CHECK(top(scores, 3, TieOrder::reverse) == Order{3, 1, 4});
  CHECK(top(scores, 5) == Order{1, 3, 0, 4, 2});
  CHECK(top(scores, 100) == Order{1, 3, 0, 4, 2});
  CHECK(top(scores, 0).empty());
  CHECK(top({}, 0).empty());
  CHECK(top({}, 10).empty());
}

TEST_CASE("top_k ranks 0 and -0 as equal") {
  for (auto const& zeros : {std::vector<float>{0.0F, -0.0F}, {-0.0F, 0.0F}}) {
    CHECK(top(zeros, 2) == Order{0, 1});
    CHECK(top(zeros, 2, TieOrder::reverse) == Order{1, 0});
  }
}

TEST_CASE("A reused TopK gives the results of a new one") {
  fltr::Stream stream(6);
  fltr::TopK reused;
  Order order;
  for (int trial = 0; trial < 500; ++trial) {
    std::vector<float> scores(stream.below(300));
    for (float& s : scores) s = static_cast<float>(stream.below(50)) - 25.0F;
    std::size_t const k = stream.below(320);
    reused(scores, k, order);
    REQUIRE(order == sorted(scores, k, TieOrder::row));
  }
}

TEST_CASE("top_k ranks NaN last, after minus infinity") {
  float const nan = std::nanf("");
  float const inf = std::numeric_limits<float>::infinity();
  CHECK(top({nan, -inf, 1.0F, nan, inf}, 5) == Order{4, 2, 1, 0, 3});
  CHECK(top({nan, -inf, 1.0F, nan, inf}, 5, TieOrder::reverse) == Order{4, 2, 1, 3, 0});
  CHECK(top({nan, nan, -inf}, 1) == Order{2});
  CHECK(top({nan, nan}, 1) == Order{0});
}

TEST_CASE("top_k gives the first k elements of a stable sort") {
  fltr::Stream stream(5);
  for (int trial = 0; trial < 2000; ++trial) {
    std::size_t const n = stream.below(trial % 8 == 0 ? 600 : 120);
    std::size_t const k = stream.below(2) == 0 ? stream.below(130) : stream.below(12);  // few and many
    bool const few_levels = stream.below(2) == 0;
    std::vector<float> scores(n);
    for (float& s : scores) {
      s = few_levels ? static_cast<float>(stream.below(4)) : static_cast<float>(stream.normal());
    }
    if (stream.below(4) == 0) std::ranges::sort(scores);  // ascending scores
    for (float& s : scores)
      if (stream.below(16) == 0) s = std::nanf("");
    for (auto const ties : {TieOrder::row, TieOrder::reverse}) REQUIRE(top(scores, k, ties) == sorted(scores, k, ties));
  }
}
