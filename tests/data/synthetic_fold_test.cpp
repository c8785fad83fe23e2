#include <fltr/data/fold.hpp>
#include <fltr/data/synthetic_fold.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "support/catch.hpp"
#include "support/same_dataset.hpp"

using fltr::Dataset;
using fltr::Fold;
using fltr::synthetic_fold;
using fltr::SyntheticShape;
using fltr::testing::same_dataset;

namespace {

/// A named shape and known properties of the public data set that it imitates.
struct Target {
  SyntheticShape shape;
  double documents;
  std::array<double, 5> grades;
  double fewest_empty;
  double most_empty;
};

std::array<Target, 4> const targets{{
    {SyntheticShape::mq2007(), 69'623, {.74, .20, .06}, .15, .25},
    {SyntheticShape::mslr(), 1'200'192, {.520, .323, .132, .018, .007}, .02, .06},
    {SyntheticShape::yahoo(), 709'877, {.26, .36, .285, .076, .019}, .01, .05},
    {SyntheticShape::istella(), 3'408'630, {.886, .019, .038, .032, .025}, 0, .05},
}};

/// The shape with only one feature per signal, which takes less time. The queries and grades are the same.
SyntheticShape narrow(SyntheticShape shape) {
  shape.features = shape.signals;
  shape.query_features = shape.noise_features = shape.category_flags = 0;
  shape.category_feature.reset();
  return shape;
}

std::array<Dataset const*, 3> parts_of(Fold const& fold) { return {&fold.train, &fold.vali, &fold.test}; }

bool same_fold(Fold const& a, Fold const& b) {
  return same_dataset(a.train, b.train) && same_dataset(a.vali, b.vali) && same_dataset(a.test, b.test);
}

bool begins_with(Dataset const& longer, Dataset const& shorter) {
  auto const& a = longer.parts();
  auto const& b = shorter.parts();
  return a.grades.size() > b.grades.size() && std::equal(b.grades.begin(), b.grades.end(), a.grades.begin()) &&
         std::equal(b.query_offsets.begin(), b.query_offsets.end(), a.query_offsets.begin()) &&
         longer.qid(shorter.size() - 1) == shorter.qid(shorter.size() - 1) &&
         std::memcmp(a.features.data(), b.features.data(), b.features.size() * sizeof(float)) == 0;
}

/// Whether the mean of independent numbers is within five standard errors of 0.
bool mean_is_zero(std::vector<double> const& x) {
  double sum = 0;
  double squares = 0;
  for (double v : x) {
    sum += v;
    squares += v * v;
  }
  return std::abs(sum) <= 5 * std::sqrt(squares);
}

double mean_size(SyntheticShape const& shape) {
  double mean = 0;
  for (std::size_t i = 1; i < shape.sizes.size(); ++i)
    mean += (shape.sizes[i].probability - shape.sizes[i - 1].probability) *
            (shape.sizes[i].documents + shape.sizes[i - 1].documents) / 2;
  return mean;
}

/// The mean grade in each third of the documents of a query, in the order of a column.
std::array<double, 3> mean_grade_by_third(Dataset const& data, std::size_t column) {
  std::array<double, 3> sum{};
  std::array<double, 3> count{};
  for (std::size_t q = 0; q < data.size(); ++q) {
    auto const query = data[q];
    std::vector<std::size_t> order(query.document_count());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(order, {}, [&](std::size_t d) { return query.row(d)[column]; });
    for (std::size_t i = 0; i < order.size(); ++i) {
      sum[3 * i / order.size()] += query.grades()[order[i]];
      ++count[3 * i / order.size()];
    }
  }
  return {sum[0] / count[0], sum[1] / count[1], sum[2] / count[2]};
}

/// Queries of 40 documents with three signals and one feature of little noise for each signal.
SyntheticShape plain() {
  return {.name = "plain",
          .seed = 1,
          .queries = 1000,
          .features = 3,
          .sizes = {{{0, 40}, {.2, 40}, {.4, 40}, {.6, 40}, {.8, 40}, {1, 40}}},
          .grade_shares = {.5, .5},
          .signals = 3,
          .blocks = 1};
}

}  // namespace

TEST_CASE("The named shapes have the sizes of the public data sets that they imitate") {
  for (auto const& [shape, documents, grades, fewest_empty, most_empty] : targets) {
    INFO(shape.name);
    CHECK(std::abs(mean_size(shape) * shape.queries / documents - 1) < 0.02);
    CHECK(SyntheticShape::named(shape.name).seed == shape.seed);
  }
  auto const fold = synthetic_fold(SyntheticShape::mq2007());
  CHECK(fold.train.size() == 1016);
  CHECK(fold.vali.size() == 338);
  CHECK(fold.test.size() == 338);
  for (auto const* part : parts_of(fold)) {
    CHECK(part->feature_count() == 46);
    CHECK(part->grade_count() == 3);
  }
  CHECK(fold.train.qid(3) == "6");
  CHECK(fold.vali.qid(0) == "4");
  CHECK(fold.test.qid(0) == "5");
}

TEST_CASE("synthetic_fold gives the query sizes, grade shares and empty queries of the shape") {
  for (auto const& [shape, documents, shares, fewest_empty, most_empty] : targets) {
    INFO(shape.name);
    auto const fold = synthetic_fold(narrow(shape), 1700.0 / shape.queries);
    std::vector<double> sizes;
    // The documents of each grade in a query, above the expected number. The queries are independent.
    std::array<std::vector<double>, 5> surplus;
    std::size_t empty = 0;
    for (auto const* part : parts_of(fold)) {
      empty += part->empty_query_count();
      for (std::size_t q = 0; q < part->size(); ++q) {
        auto const grades = (*part)[q].grades();
        auto const size = static_cast<double>(grades.size());
        REQUIRE(size >= shape.sizes.front().documents);
        REQUIRE(size <= shape.sizes.back().documents);
        sizes.push_back(size - mean_size(shape));
        for (std::size_t g = 0; g < surplus.size(); ++g)
          surplus[g].push_back(static_cast<double>(std::ranges::count(grades, g)) - shares[g] * size);
      }
    }
    CHECK(mean_is_zero(sizes));
    for (auto const& grade : surplus) CHECK(mean_is_zero(grade));
    CHECK(static_cast<double>(empty) >= fewest_empty * 1700);
    CHECK(static_cast<double>(empty) <= most_empty * 1700);
  }
}

TEST_CASE("The documents of a synthetic query have a random order") {
  auto const fold = synthetic_fold(SyntheticShape::mq2007());
  std::vector<double> difference;
  for (std::size_t q = 0; q < fold.train.size(); ++q) {
    auto const grades = fold.train[q].grades();
    std::size_t const half = grades.size() / 2;
    difference.push_back(std::accumulate(grades.begin(), grades.begin() + static_cast<std::ptrdiff_t>(half), 0.0) -
                         std::accumulate(grades.end() - static_cast<std::ptrdiff_t>(half), grades.end(), 0.0));
  }
  CHECK(mean_is_zero(difference));
}

TEST_CASE("Synthetic features are finite, have different kinds and scales, and some are constant within a query") {
  for (auto const& target : targets) {
    auto const& shape = target.shape;
    INFO(shape.name);
    auto const fold = synthetic_fold(shape, 40.0 / shape.queries);
    auto const& data = fold.train;
    std::size_t constant = 0;
    std::size_t binary = 0;
    std::size_t mostly_zero = 0;
    std::size_t negative = 0;
    std::size_t large_counts = 0;
    for (std::size_t j = 0; j < shape.features; ++j) {
      bool varies = false;
      bool zero_or_one = true;
      bool whole = true;
      float low = std::numeric_limits<float>::infinity();
      float high = -low;
      std::size_t zeros = 0;
      for (std::size_t q = 0; q < data.size(); ++q) {
        auto const query = data[q];
        for (std::size_t d = 0; d < query.document_count(); ++d) {
          float const x = query.row(d)[j];
          REQUIRE(std::isfinite(x));
          varies |= x != query.row(0)[j];
          zero_or_one &= x == 0 || x == 1;
          whole &= x == std::floor(x);
          zeros += x == 0 ? 1U : 0U;
          low = std::min(low, x);
          high = std::max(high, x);
        }
      }
      constant += varies ? 0U : 1U;
      binary += varies && zero_or_one ? 1U : 0U;
      mostly_zero += !zero_or_one && 2 * zeros > data.document_count() ? 1U : 0U;
      negative += low < 0 && varies ? 1U : 0U;
      large_counts += whole && high > 1000 ? 1U : 0U;
    }
    CHECK(constant == shape.query_features);
    CHECK(binary > 0);
    CHECK(mostly_zero > 0);
    CHECK(negative > 0);
    CHECK(large_counts > 0);
    for (std::size_t d = 0; d < data.document_count(); ++d)
      for (std::size_t j = shape.features; j < data.stride(); ++j)
        REQUIRE(data.parts().features.data()[d * data.stride() + j] == 0);
  }
}

TEST_CASE("The documents of istella have categories, and each query has a dominant category") {
  auto const shape = SyntheticShape::istella();
  auto const fold = synthetic_fold(shape, 0.01);
  auto const column = shape.category_feature.value();
  std::vector<std::size_t> total(shape.categories + 1);
  double dominant = 0;
  for (std::size_t q = 0; q < fold.train.size(); ++q) {
    auto const query = fold.train[q];
    std::vector<std::size_t> count(shape.categories + 1);
    for (std::size_t d = 0; d < query.document_count(); ++d) {
      float const value = query.row(d)[column];
      REQUIRE(value == std::floor(value));
      REQUIRE(value >= 1);
      REQUIRE(value <= static_cast<float>(shape.categories));
      ++count[static_cast<std::size_t>(value)];
      ++total[static_cast<std::size_t>(value)];
    }
    dominant += static_cast<double>(*std::ranges::max_element(count)) / static_cast<double>(query.document_count());
  }
  CHECK(*std::min_element(total.begin() + 1, total.end()) > 0);
  CHECK(total[1] > 2 * total[shape.categories]);
  // 1 − 0.95 E[U^1.2] = 0.57 of the documents, and some others that have the dominant category by chance.
  CHECK(dominant / static_cast<double>(fold.train.size()) > 0.55);
  CHECK(dominant / static_cast<double>(fold.train.size()) < 0.75);
}

TEST_CASE(
    "synthetic_fold gives the same set for any number of threads, and a smaller set is the beginning of a larger one") {
  for (auto const& target : targets) {
    INFO(target.shape.name);
    double const scale = 50.0 / target.shape.queries;
    auto const once = synthetic_fold(target.shape, scale, 1);
    for (std::size_t threads : {0U, 2U, 3U, 8U}) CHECK(same_fold(once, synthetic_fold(target.shape, scale, threads)));
    auto const larger = synthetic_fold(target.shape, 1.7 * scale);
    for (std::size_t p = 0; p < 3; ++p) CHECK(begins_with(*parts_of(larger)[p], *parts_of(once)[p]));
  }
}

TEST_CASE("Grades rise with a monotone signal, and interplay gives the highest grades in the middle of a signal") {
  auto shape = plain();
  shape.monotone = 1;
  auto const straight = synthetic_fold(shape);
  for (std::size_t j = 0; j < 3; ++j) {
    auto const [low, middle, high] = mean_grade_by_third(straight.train, j);
    CHECK((low - middle) * (middle - high) > 0);
  }
  shape.monotone = 0;
  shape.interplay = 1;
  auto const curved = synthetic_fold(shape);
  std::size_t humps = 0;
  for (std::size_t j = 0; j < 3; ++j) {
    auto const [low, middle, high] = mean_grade_by_third(curved.train, j);
    // The hump at z = 0 is symmetric: the outer thirds have similar grades, and the middle third has higher grades.
    if (middle > low + 0.2 && middle > high + 0.2 && std::abs(low - high) < 0.05) ++humps;
  }
  CHECK(humps == 1);
}

TEST_CASE("With topical utility only, the effect of a signal on the grades depends on the category") {
  auto shape = plain();
  shape.features = 4;
  shape.topical = 1;
  shape.categories = 12;
  shape.category_feature = 0;
  auto const fold = synthetic_fold(shape);
  // Each signal raises the utility in some categories and lowers it in others. The rarest category has about 1,000
  // documents: without an effect its correlation would be within 0.1, three standard errors.
  for (std::size_t j = 1; j < 4; ++j) {
    std::array<double, 12> correlation{};
    std::array<double, 12> documents{};
    for (std::size_t q = 0; q < fold.train.size(); ++q) {
      auto const query = fold.train[q];
      double mean = 0;
      double squares = 0;
      for (std::size_t d = 0; d < 40; ++d) {
        auto const x = static_cast<double>(query.row(d)[j]);
        mean += x / 40;
        squares += x * x / 40;
      }
      double const deviation = std::sqrt(squares - mean * mean);
      for (std::size_t d = 0; d < 40; ++d) {
        auto const category = static_cast<std::size_t>(query.row(d)[0]) - 1;
        correlation[category] +=
            (2.0 * query.grades()[d] - 1) * (static_cast<double>(query.row(d)[j]) - mean) / deviation;
        ++documents[category];
      }
    }
    for (std::size_t c = 0; c < 12; ++c) correlation[c] /= documents[c];
    CHECK(*std::ranges::max_element(correlation) > 0.1);
    CHECK(*std::ranges::min_element(correlation) < -0.1);
  }
}

TEST_CASE("SyntheticShape::named throws for unknown names, synthetic_fold for invalid scales and shapes") {
  CHECK_THROWS_WITH(SyntheticShape::named("mslr10k"),
                    "SyntheticShape: required mq2007, mslr, yahoo or istella, got mslr10k");
  for (double scale :
       {0.0, -1.0, 0.001, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(), 1e9})
    CHECK_THROWS_AS(synthetic_fold(SyntheticShape::mq2007(), scale), std::invalid_argument);
  auto const refused = [](auto change) {
    auto shape = plain();
    change(shape);
    CHECK_THROWS_AS(synthetic_fold(shape), std::invalid_argument);
  };
  CHECK_NOTHROW(synthetic_fold(plain(), 0.005));
  refused([](SyntheticShape& s) { s.features = 2; });
  refused([](SyntheticShape& s) { s.blocks = 2; });
  refused([](SyntheticShape& s) { s.signals = 0; });
  refused([](SyntheticShape& s) { s.grade_shares[0] = .4; });
  refused([](SyntheticShape& s) { s.grade_shares = {1.5, -.5}; });
  refused([](SyntheticShape& s) { s.monotone = std::numeric_limits<double>::quiet_NaN(); });
  refused([](SyntheticShape& s) { s.monotone = s.interplay = .6; });
  refused([](SyntheticShape& s) { s.topical = .5; });
  refused([](SyntheticShape& s) { s.categories = 33; });
  refused([](SyntheticShape& s) { s.category_feature = 2; });
  refused([](SyntheticShape& s) { s.query_spread = 1; });
  refused([](SyntheticShape& s) { s.empty_queries = .6; });
  refused([](SyntheticShape& s) { s.sizes[2].documents = 30; });
  refused([](SyntheticShape& s) { s.sizes[5].probability = .9; });
  refused([](SyntheticShape& s) { s.sizes[0].documents = 0; });
}
