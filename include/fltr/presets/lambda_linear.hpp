#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include <fltr/aggregators/fed_avg.hpp>
#include <fltr/click_models/no_clicks.hpp>
#include <fltr/core/error.hpp>
#include <fltr/data/client.hpp>
#include <fltr/data/query_pool.hpp>
#include <fltr/federation/make_federation.hpp>
#include <fltr/learners/lambda_rank.hpp>
#include <fltr/rankers/linear_ranker.hpp>

namespace fltr {

/// A central training of a linear ranker with LambdaRank, called λLinear in the papers: a federation of one client that
/// knows the grades. A round makes as many steps as there are queries, each on a query drawn at random.
template <class = void>
[[nodiscard]] auto lambda_linear(QueryPool const& queries, LambdaRank learner = {}, RunOptions options = {}) {
  require(queries.size() > 0, "lambda_linear", "at least one query", queries.size());
  LinearRanker ranker(queries.feature_count());
  auto const steps = static_cast<std::uint32_t>(queries.size());
  return make_federation(std::move(ranker), NoClicks{}, learner, FedAvg{})
      .start(std::vector<Client>{{0, steps, queries}}, options);
}

}  // namespace fltr
