#include <fltr/metrics/ndcg.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <vector>

#include "support/catch.hpp"

namespace {

using fltr::Gain;
using fltr::Grade;
using fltr::Ndcg;
using fltr::NoRelevantDocuments;
using Grades = std::vector<Grade>;

Grades ideal_of(Grades grades) {
  std::ranges::sort(grades, std::greater<>());
  return grades;
}

double ndcg(Grades const& grades, Grades const& ideal, std::size_t cutoff, Gain gain = Gain::exponential) {
  return Ndcg{.cutoff = cutoff, .gain = gain}.measure({grades, ideal}).value();
}
double ndcg(Grades const& grades, std::size_t cutoff, Gain gain = Gain::exponential) {
  return ndcg(grades, ideal_of(grades), cutoff, gain);
}

auto near(double value) { return Approx(value).epsilon(2e-15).margin(0); }

}  // namespace

TEST_CASE("nDCG of the reference lists") {
  Grades const list{3, 2, 3, 0, 1, 2};
  CHECK(ndcg(list, 3) == near(0.9594535145926796));
  CHECK(ndcg(list, 6) == near(0.9488107485678985));
  CHECK(ndcg(list, 3, Gain::linear) == near(0.9777813616305049));
  CHECK(ndcg(list, 6, Gain::linear) == near(0.9608081943360617));
  Grades const other{0, 4, 1, 0, 2};
  CHECK(ndcg(other, 3) == near(0.5728779987047697));
  CHECK(ndcg(other, 5) == near(0.6396044106854527));
}

TEST_CASE("nDCG: the ideal list has all documents of the query, also those that were not displayed") {
  Grades const list{3, 2, 3, 0, 1, 2};
  Grades const pool{3, 3, 3, 2, 2, 2, 1, 0};
  CHECK(ndcg(list, pool, 6) == near(0.7510833867922446));
  CHECK(ndcg(list, pool, 6, Gain::linear) == near(0.785002371969948));
}

TEST_CASE("nDCG: a cutoff of 0 or beyond the list is the whole list") {
  Grades const list{3, 2, 3, 0, 1, 2};
  CHECK(ndcg(list, 0) == near(0.9488107485678985));
  CHECK(ndcg(list, 100) == near(0.9488107485678985));
}

TEST_CASE("nDCG is 1 for the ideal list and 0 if all relevant documents are beyond the cutoff") {
  Grades const best{4, 3, 2, 1, 0};
  for (std::size_t cutoff = 0; cutoff < 8; ++cutoff) CHECK(ndcg(best, cutoff) == 1.0);
  CHECK(ndcg({0, 0, 1}, 2) == 0.0);
}

TEST_CASE("nDCG of a query without a relevant document follows the option") {
  Grades const none{0, 0, 0};
  CHECK(Ndcg{}.measure({none, none}) == std::nullopt);
  CHECK(Ndcg{.empty = NoRelevantDocuments::skip}.measure({none, none}) == std::nullopt);
  CHECK(Ndcg{.empty = NoRelevantDocuments::zero}.measure({none, none}) == 0.0);
  CHECK(Ndcg{.empty = NoRelevantDocuments::one}.measure({none, none}) == 1.0);
  CHECK(Ndcg{.empty = NoRelevantDocuments::one}.measure({{}, {}}) == 1.0);
  CHECK(Ndcg{.gain = Gain::linear, .empty = NoRelevantDocuments::one}.measure({none, none}) == 1.0);
  // A query with a relevant document that is not displayed has a value.
  Grades const pool{1, 0, 0, 0};
  CHECK(Ndcg{.empty = NoRelevantDocuments::one}.measure({none, pool}) == 0.0);
}

TEST_CASE("nDCG of the highest grades stays in [0, 1]") {
  CHECK(ndcg({0, 30, 30}, 10) > 0.0);
  CHECK(ndcg({0, 30, 30}, 10) < 1.0);
  CHECK(ndcg({30, 30, 0}, 10) == 1.0);
}
