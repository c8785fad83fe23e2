#include <fltr/aggregators/detail/krum_choice.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <fltr/core/random.hpp>

#include "support/catch.hpp"

using namespace fltr;

// More than 64 rows, so that the bounds of scores decide which scores are computed.
TEST_CASE("The choice by bounds is that of the lowest scores, and every score is within its bounds") {
  Stream random(1);
  std::size_t wrong = 0;
  std::size_t outside = 0;
  for (int repeat = 0; repeat < 60; ++repeat) {
    std::size_t const n = 65 + random.below(120);
    std::size_t const d = 1 + random.below(6);
    std::uint32_t const kind = random.below(5);
    MessageRows rows(n, d);
    for (std::size_t i = 0; i < n; ++i) {
      bool const far = kind == 1 && random.bernoulli(0.3);
      for (float& v : rows.row(i)) {
        v = static_cast<float>(random.normal());
        if (far) v = random.bernoulli(0.5) ? 3e38F : -1e12F;
        if (kind == 2) v = static_cast<float>(random.below(3));  // many equal rows and scores
        if (kind == 3) v = 1.0F;                                 // all scores are 0
        if (kind == 4) v *= 1e-38F;                              // squares below 1e-76
      }
    }
    detail::RowDistances const distances(rows);
    for (auto const distance : {KrumDistance::squared, KrumDistance::euclidean, KrumDistance::fourth_power}) {
      std::size_t const neighbours = 1 + random.below(static_cast<std::uint32_t>(n - 1));
      auto const scores = detail::krum_scores(distances, neighbours, distance);
      for (std::size_t const count : {std::size_t{1}, n / 3, n - 1, n}) {
        auto expected = detail::lowest_scores(scores, count);
        std::ranges::sort(expected);
        wrong += detail::krum_choice(distances, neighbours, distance, count) == expected ? 0U : 1U;
      }
      for (std::size_t i = 0; i < n; ++i) {
        auto const bounds = detail::bounds_of_sum(distances.row_lines(i), neighbours + 1, detail::OtherTerm{distance});
        outside += bounds.low <= scores[i] && scores[i] <= bounds.high ? 0U : 1U;
        outside += detail::krum_score(distances, i, neighbours, distance) == scores[i] ? 0U : 1U;
      }
    }
  }
  CHECK(wrong == 0);
  CHECK(outside == 0);
}
