#include <fltr/metrics/average_precision.hpp>

#include <optional>
#include <vector>

#include "support/catch.hpp"

namespace {

using fltr::AveragePrecision;
using fltr::NoRelevantDocuments;
using Grades = std::vector<fltr::Grade>;

}  // namespace

TEST_CASE("Average precision by hand") {
  Grades const list{1, 0, 2, 0, 0, 1};
  Grades const ideal{2, 1, 1, 0, 0, 0};
  // Relevant at ranks 1, 3, 6.
  double const whole = (1.0 + 2.0 / 3.0 + 3.0 / 6.0) / 3.0;
  CHECK(AveragePrecision{}.measure({list, ideal}).value() == Approx(whole).epsilon(1e-15));
  CHECK(AveragePrecision{.cutoff = 100}.measure({list, ideal}).value() == Approx(whole).epsilon(1e-15));
  CHECK(AveragePrecision{.cutoff = 4}.measure({list, ideal}).value() == Approx((1.0 + 2.0 / 3.0) / 3.0).epsilon(1e-15));
  CHECK(AveragePrecision{.relevant_from = 2}.measure({list, ideal}).value() == Approx(1.0 / 3.0).epsilon(1e-15));
}

TEST_CASE("Average precision divides by all relevant documents, also those that were not displayed") {
  Grades const shown{1};
  Grades const ideal{1, 1, 1, 1, 0};
  CHECK(AveragePrecision{}.measure({shown, ideal}).value() == 0.25);
}

TEST_CASE("AP@k divides by all relevant documents, also if there are more than k") {
  Grades const list{1, 1, 0, 1, 1};
  Grades const ideal{1, 1, 1, 1, 0};
  double before = 0.0;
  std::vector<double> const sums{1.0, 2.0, 2.0, 2.75, 3.55};  // of the precisions at the relevant ranks up to k
  for (std::size_t k = 1; k <= 5; ++k) {
    double const value = AveragePrecision{.cutoff = k}.measure({list, ideal}).value();
    CHECK(value == Approx(sums[k - 1] / 4).epsilon(1e-15));
    CHECK(value >= before);  // a longer list never counts less
    before = value;
  }
}

TEST_CASE("Average precision of a query without a relevant document follows the option") {
  Grades const none{0, 0};
  Grades const low{1, 0};
  CHECK(AveragePrecision{}.measure({none, none}) == std::nullopt);
  CHECK(AveragePrecision{.empty = NoRelevantDocuments::zero}.measure({none, none}) == 0.0);
  CHECK(AveragePrecision{.empty = NoRelevantDocuments::one}.measure({none, none}) == 1.0);
  CHECK(AveragePrecision{.relevant_from = 2}.measure({low, low}) == std::nullopt);
  CHECK(AveragePrecision{}.measure({none, low}) == 0.0);
}
