#include <fltr/metrics/evaluation.hpp>

#include <cstdint>
#include <optional>

#include <fltr/core/fields.hpp>

#include "support/catch.hpp"

using fltr::Evaluation;

TEST_CASE("An Evaluation counts values and skipped queries") {
  Evaluation evaluation;
  CHECK(evaluation.mean() == 0.0);
  evaluation.add(0.25);
  evaluation.add(std::nullopt);
  evaluation.add(0.75);
  CHECK(evaluation.queries == 2);
  CHECK(evaluation.skipped == 1);
  CHECK(evaluation.mean() == 0.5);
  Evaluation other{.sum = 2.0, .queries = 2, .skipped = 4};
  other.merge(evaluation);
  CHECK(other.mean() == 0.75);
  CHECK(other.skipped == 5);
}

TEST_CASE("An Evaluation has fields") {
  STATIC_REQUIRE(fltr::HasFields<Evaluation>);
  Evaluation evaluation{1.5, 2, 3};
  auto const sum = evaluation.fields([](double& s, std::uint64_t& queries, std::uint64_t& skipped) {
    return s + static_cast<double>(10 * queries + 100 * skipped);
  });
  CHECK(sum == 321.5);
}
