#include <fltr/metrics/precision.hpp>

#include <optional>
#include <vector>

#include "support/catch.hpp"

namespace {

using fltr::AveragePrecision;
using fltr::EmptyQuery;
using fltr::Grade;
using fltr::Precision;
using Grades = std::vector<Grade>;

}  // namespace

TEST_CASE("precision is the share of relevant documents among the first ranks") {
  Grades const list{1, 0, 2, 0, 3};
  CHECK(Precision{.cutoff = 1}.measure({list, {}}) == 1.0);
  CHECK(Precision{.cutoff = 2}.measure({list, {}}) == 0.5);
  CHECK(Precision{.cutoff = 5}.measure({list, {}}) == Approx(0.6).epsilon(1e-15));
  CHECK(Precision{.cutoff = 5, .relevant_from = 2}.measure({list, {}}) == Approx(0.4).epsilon(1e-15));
  CHECK(Precision{.cutoff = 0}.measure({list, {}}) == Approx(0.6).epsilon(1e-15));
  CHECK(Precision{.cutoff = 10}.measure({list, {}}) == Approx(0.3).epsilon(1e-15));  // as trec_eval
  CHECK(Precision{.cutoff = 0}.measure({{}, {}}) == 0.0);
  CHECK(Precision{.cutoff = 10}.measure({{}, {}}) == 0.0);
}

TEST_CASE("average precision by hand") {
  Grades const list{1, 0, 2, 0, 0, 1};
  Grades const ideal{2, 1, 1, 0, 0, 0};
  // Relevant at ranks 1, 3, 6.
  double const whole = (1.0 + 2.0 / 3.0 + 3.0 / 6.0) / 3.0;
  CHECK(AveragePrecision{}.measure({list, ideal}).value() == Approx(whole).epsilon(1e-15));
  CHECK(AveragePrecision{.cutoff = 100}.measure({list, ideal}).value() == Approx(whole).epsilon(1e-15));
  CHECK(AveragePrecision{.cutoff = 4}.measure({list, ideal}).value() == Approx((1.0 + 2.0 / 3.0) / 3.0).epsilon(1e-15));
  CHECK(AveragePrecision{.relevant_from = 2}.measure({list, ideal}).value() == Approx(1.0 / 3.0).epsilon(1e-15));
}

TEST_CASE("average precision divides by all relevant documents, also those that were not shown") {
  Grades const shown{1};
  Grades const ideal{1, 1, 1, 1, 0};
  CHECK(AveragePrecision{}.measure({shown, ideal}).value() == 0.25);
}

TEST_CASE("average precision of a query with nothing relevant follows the convention") {
  Grades const none{0, 0};
  Grades const low{1, 0};
  CHECK(AveragePrecision{}.measure({none, none}) == std::nullopt);
  CHECK(AveragePrecision{.empty = EmptyQuery::zero}.measure({none, none}) == 0.0);
  CHECK(AveragePrecision{.empty = EmptyQuery::one}.measure({none, none}) == 1.0);
  CHECK(AveragePrecision{.relevant_from = 2}.measure({low, low}) == std::nullopt);
  CHECK(AveragePrecision{}.measure({none, low}) == 0.0);
}
