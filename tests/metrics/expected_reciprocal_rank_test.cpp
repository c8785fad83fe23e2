#include <fltr/metrics/expected_reciprocal_rank.hpp>

#include <optional>
#include <vector>

#include "support/catch.hpp"

namespace {

using fltr::ExpectedReciprocalRank;
using fltr::NoRelevantDocuments;
using Grades = std::vector<fltr::Grade>;

}  // namespace

TEST_CASE("ERR by hand") {
  // Stopping probabilities (2^g - 1) / 16: 7/16, 3/16, 15/16.
  Grades const list{3, 2, 4};
  Grades const ideal{4, 3, 2};
  double const expected = 7.0 / 16 + 9.0 / 16 * (3.0 / 16) / 2 + 9.0 / 16 * (13.0 / 16) * (15.0 / 16) / 3;
  CHECK(ExpectedReciprocalRank{}.measure({list, ideal}).value() == Approx(expected).epsilon(1e-15));
  CHECK(ExpectedReciprocalRank{.cutoff = 1}.measure({list, ideal}) == 7.0 / 16);
  CHECK(ExpectedReciprocalRank{.cutoff = 0}.measure({list, ideal}).value() == Approx(expected).epsilon(1e-15));
  // Two grades: half of the users stop at a relevant document.
  Grades const binary{0, 1};
  Grades const sorted{1, 0};
  CHECK(ExpectedReciprocalRank{.highest_grade = 1}.measure({binary, sorted}) == 0.25);
}

TEST_CASE("ERR of a list depends on the scale of grades, and not on the other documents of its query") {
  // A perfect document stops 15 of 16 users. Where the best document has grade 2, no list gets more than 3/16 at rank 1.
  Grades const list{2, 1};
  double const expected = 3.0 / 16 + 13.0 / 16 * (1.0 / 16) / 2;
  for (Grades const& ideal : {Grades{2, 1}, Grades{3, 2, 1}, Grades{4, 4, 2, 1}})
    CHECK(ExpectedReciprocalRank{}.measure({list, ideal}).value() == Approx(expected).epsilon(1e-15));
  CHECK(ExpectedReciprocalRank{.highest_grade = 2}.measure({list, list}).value() ==
        Approx(3.0 / 4 + 1.0 / 4 * (1.0 / 4) / 2).epsilon(1e-15));
}

TEST_CASE("ERR: a query without a relevant document follows the option; a grade above highest_grade is an error") {
  Grades const none{0, 0};
  CHECK(ExpectedReciprocalRank{}.measure({none, none}) == 0.0);
  CHECK(ExpectedReciprocalRank{.empty = NoRelevantDocuments::skip}.measure({none, none}) == std::nullopt);
  Grades const high{5};
  CHECK_THROWS_WITH(ExpectedReciprocalRank{}.measure({high, high}),
                    "ExpectedReciprocalRank: required grades up to highest_grade = 4, got 5");
}
