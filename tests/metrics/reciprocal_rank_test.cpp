#include <fltr/metrics/reciprocal_rank.hpp>

#include <optional>
#include <vector>

#include "support/catch.hpp"

namespace {

using fltr::NoRelevantDocuments;
using fltr::ReciprocalRank;
using Grades = std::vector<fltr::Grade>;

}  // namespace

TEST_CASE("Reciprocal rank of the first relevant document") {
  Grades const list{0, 0, 1, 2};
  Grades const ideal{2, 1, 0, 0};
  CHECK(ReciprocalRank{}.measure({list, ideal}).value() == Approx(1.0 / 3.0).epsilon(1e-15));
  CHECK(ReciprocalRank{.relevant_from = 2}.measure({list, ideal}) == 0.25);
  CHECK(ReciprocalRank{.cutoff = 2}.measure({list, ideal}) == 0.0);
  CHECK(ReciprocalRank{.cutoff = 0, .relevant_from = 2}.measure({list, ideal}) == 0.25);
  CHECK(ReciprocalRank{.relevant_from = 3}.measure({list, ideal}) == std::nullopt);
  CHECK(ReciprocalRank{.relevant_from = 3, .empty = NoRelevantDocuments::zero}.measure({list, ideal}) == 0.0);
  CHECK(ReciprocalRank{}.measure({{}, {}}) == std::nullopt);
}
