#include <fltr/metrics/detail/list_measurer.hpp>

#include <type_traits>
#include <utility>
#include <vector>

#include <fltr/metrics/ndcg.hpp>
#include <fltr/rankers/linear_ranker.hpp>

#include "support/catch.hpp"
#include "support/datasets.hpp"

namespace {

using fltr::LinearRanker;
using fltr::Ndcg;

template <class R>
concept MeasuresLists = requires(R&& ranker) {
  fltr::detail::ListMeasurer<std::remove_cvref_t<R>, Ndcg>(std::forward<R>(ranker), fltr::TieOrder::row, Ndcg{});
};

}  // namespace

TEST_CASE("A ListMeasurer measures the list of the ranker's scores and refuses a temporary ranker") {
  auto const data = fltr::testing::dataset_of({{{1, {0.0F}}, {0, {1.0F}}}}, 1);
  LinearRanker const ranker(std::vector<float>{1.0F});
  fltr::detail::ListMeasurer<LinearRanker, Ndcg> measurer(ranker, fltr::TieOrder::row, Ndcg{.cutoff = 1});
  CHECK(measurer.measure(data[0])[0] == 0.0);
  STATIC_REQUIRE(MeasuresLists<LinearRanker const&>);
  STATIC_REQUIRE(!MeasuresLists<LinearRanker>);
}
