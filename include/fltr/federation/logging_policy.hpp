#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <fltr/aggregators/fed_avg.hpp>
#include <fltr/click_models/no_clicks.hpp>
#include <fltr/core/error.hpp>
#include <fltr/core/random.hpp>
#include <fltr/data/client.hpp>
#include <fltr/data/dataset.hpp>
#include <fltr/federation/make_federation.hpp>
#include <fltr/learners/lambda_rank.hpp>
#include <fltr/rankers/linear.hpp>

namespace fltr {

/// A training of linear LambdaRank in one place: a federation of one client, which knows the grades and takes in every
/// round as many steps as it has queries, each of a query drawn anew. What the papers call λLinear.
[[nodiscard]] inline auto lambda_linear(QueryPool queries, LambdaRank learner = {}, RunOptions options = {}) {
  require(queries.size() > 0, "lambda_linear", "at least one query", queries.size());
  LinearRanker ranker(queries.feature_count());
  auto const steps = static_cast<std::uint32_t>(queries.size());
  return make_federation(std::move(ranker), NoClicks{}, learner, FedAvg{})
      .start(std::vector<Client>{{0, steps, std::move(queries)}}, options);
}

/// How the production ranker of a simulation comes to be (Joachims et al. 2017; FedIPS).
struct LoggingPolicy {
  double share = 0.01;        ///< of the queries, with their grades …
  std::size_t at_least = 20;  ///< … but no fewer than these
  std::uint32_t rounds = 20;  ///< of as many steps as there are such queries
  LambdaRank learner{};
  std::uint64_t seed = 1;
};

/// A linear ranker that was trained with grades on a few queries: better than chance, and leaving something to learn.
/// It shares no random number with a split or a training of the same seed.
[[nodiscard]] inline LinearRanker train_logging_policy(Dataset const& data, LoggingPolicy const& options = {}) {
  require(options.share >= 0.0 && options.share <= 1.0, "LoggingPolicy", "a share in [0, 1]", options.share);
  std::vector<std::uint32_t> queries(data.size());
  for (std::size_t q = 0; q < queries.size(); ++q) queries[q] = static_cast<std::uint32_t>(q);
  Stream stream = Streams{options.seed}.of(Purpose::logging_policy);
  std::uint64_t const training_seed = stream.bits64();
  stream.shuffle(std::span(queries));
  auto const share = static_cast<std::size_t>(options.share * static_cast<double>(queries.size()));
  queries.resize(std::min(queries.size(), std::max(options.at_least, share)));
  auto training = lambda_linear(QueryPool(data, std::move(queries)), options.learner, {.seed = training_seed});
  for (std::uint32_t round = 0; round < options.rounds; ++round) training.advance();
  return training.ranker();
}

}  // namespace fltr
