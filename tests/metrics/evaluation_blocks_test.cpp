#include <fltr/metrics/detail/evaluation_blocks.hpp>

#include <array>
#include <cstddef>
#include <utility>
#include <vector>

#include <fltr/core/fields.hpp>
#include <fltr/data/query_pool.hpp>
#include <fltr/metrics/ndcg.hpp>
#include <fltr/rankers/linear_ranker.hpp>

#include "support/catch.hpp"
#include "support/datasets.hpp"

namespace {

using fltr::Dataset;
using fltr::Evaluation;
using fltr::LinearRanker;
using fltr::QueryPool;
using namespace fltr::detail;

template <class R, class S>
concept HasLeaf = requires(R&& ranker, S&& queries) {
  evaluation_leaf(fltr::TieOrder::row, std::forward<R>(ranker), std::forward<S>(queries), fltr::Ndcg{})(std::size_t{});
};

}  // namespace

TEST_CASE("A block of an evaluation has 64 queries") {
  STATIC_REQUIRE(evaluation_block == 64);
  auto const blocks = [](std::size_t queries) {
    return evaluation_blocks(fltr::testing::dataset_of(std::vector<std::vector<fltr::testing::Document>>(queries), 0));
  };
  CHECK(blocks(0) == 1);
  CHECK(blocks(1) == 1);
  CHECK(blocks(64) == 1);
  CHECK(blocks(65) == 2);
  CHECK(blocks(129) == 3);
}

TEST_CASE("A leaf of a temporary ranker or of temporary queries does not compile") {
  STATIC_REQUIRE(HasLeaf<LinearRanker const&, Dataset const&>);
  STATIC_REQUIRE(HasLeaf<LinearRanker const&, QueryPool const&>);
  STATIC_REQUIRE(!HasLeaf<LinearRanker, Dataset const&>);
  STATIC_REQUIRE(!HasLeaf<LinearRanker const&, Dataset>);
  STATIC_REQUIRE(!HasLeaf<LinearRanker const&, QueryPool>);
}

TEST_CASE("Evaluations have one field, the array of evaluations") {
  STATIC_REQUIRE(fltr::HasFields<Evaluations<2>>);
  Evaluations<2> both{{Evaluation{1.5, 2, 3}, {}}};
  CHECK(both.fields([](auto&... members) { return sizeof...(members); }) == 1);
  CHECK(both.fields([](std::array<Evaluation, 2>& metrics) { return metrics[0].queries; }) == 2);
}
