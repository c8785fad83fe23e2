#include <fltr/data/fold.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include <fltr/core/random.hpp>
#include <fltr/data/select_queries.hpp>

#include "support/catch.hpp"
#include "support/datasets.hpp"
#include "support/same_dataset.hpp"

namespace {

using fltr::Dataset;
using fltr::split_by_query;
using fltr::testing::same_dataset;

std::vector<std::string> qids(Dataset const& data) {
  std::vector<std::string> names;
  for (std::size_t q = 0; q < data.size(); ++q) names.emplace_back(data.qid(q));
  return names;
}

}  // namespace

TEST_CASE("split_by_query puts each query into one part and keeps the order of the queries") {
  auto const data = fltr::testing::random_dataset(1, {.queries = 100, .features = 9});
  auto const fold = split_by_query(data, {.6, .2, .2}, 7);
  CHECK(fold.train.size() == 60);
  CHECK(fold.vali.size() == 20);
  CHECK(fold.test.size() == 20);
  std::set<std::string> all;
  for (auto const* part : {&fold.train, &fold.vali, &fold.test}) {
    std::size_t before = 0;
    for (std::size_t q = 0; q < part->size(); ++q) {
      std::size_t const number = std::stoul(std::string(part->qid(q)));
      CHECK(number > before);
      before = number;
      all.insert(std::string(part->qid(q)));
      auto const chosen = std::vector{static_cast<std::uint32_t>(number - 1)};
      auto const here = std::vector{static_cast<std::uint32_t>(q)};
      CHECK(same_dataset(select_queries(data, chosen), select_queries(*part, here)));
    }
  }
  CHECK(all.size() == 100);
}

TEST_CASE("split_by_query depends on the shares and on the stream of Purpose::partition only") {
  auto const data = fltr::testing::random_dataset(1, {.queries = 100});
  auto const names = qids(split_by_query(data, {.6, .2, .2}, 7).test);
  CHECK(qids(split_by_query(data, {.6, .2, .2}, 7).test) == names);
  CHECK(qids(split_by_query(data, {3, 1, 1}, 7).test) == names);  // shares need not add up to 1
  CHECK(qids(split_by_query(data, {.6, .2, .2}, 8).test) != names);
  // A change of the order would change every published split.
  std::vector<std::uint32_t> order(100);
  std::iota(order.begin(), order.end(), 1U);
  auto stream = fltr::Streams{.seed = 7}.of(fltr::Purpose::partition);
  stream.shuffle(std::span(order));
  std::vector<std::uint32_t> last(order.end() - 20, order.end());
  std::ranges::sort(last);
  std::vector<std::string> expected;
  for (auto const number : last) expected.push_back(std::to_string(number));
  CHECK(names == expected);
}

TEST_CASE("split_by_query rounds the shares so that every query is in a part") {
  auto const data = fltr::testing::random_dataset(1, {.queries = 7});
  auto const fold = split_by_query(data, {1.0 / 3, 1.0 / 3, 1.0 / 3}, 1);
  CHECK(fold.train.size() == 2);  // 2.33, 4.67, 7
  CHECK(fold.vali.size() == 3);
  CHECK(fold.test.size() == 2);
  auto const two = split_by_query(data, {.8, 0, .2}, 1);
  CHECK(two.train.size() == 6);
  CHECK(two.vali.size() == 0);
  CHECK(two.vali.feature_count() == data.feature_count());
  CHECK(two.test.size() == 1);
}

TEST_CASE("split_by_query throws for negative, infinite and NaN shares, for a sum of 0 and for too few queries") {
  auto const data = fltr::testing::random_dataset(1, {.queries = 7});
  auto const nan = std::numeric_limits<double>::quiet_NaN();
  for (auto const& parts : {std::array{-.1, .6, .5}, std::array{nan, .5, .5}, std::array{0., 0., 0.},
                            std::array{std::numeric_limits<double>::infinity(), 0., 0.}, std::array{.98, .01, .01}})
    CHECK_THROWS_AS(split_by_query(data, parts, 1), std::invalid_argument);
  CHECK_THROWS_AS(split_by_query(Dataset(), {.6, .2, .2}, 1), std::invalid_argument);
}
