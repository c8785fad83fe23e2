#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <fltr/core/error.hpp>
#include <fltr/core/random.hpp>
#include <fltr/data/dataset.hpp>
#include <fltr/data/query_pool.hpp>
#include <fltr/learners/lambda_rank.hpp>
#include <fltr/presets/lambda_linear.hpp>
#include <fltr/rankers/linear_ranker.hpp>

namespace fltr {

/// The options of train_logging_policy: how the ranker that displayed the logged lists was trained (Joachims et al.
/// 2017; FedIPS).
struct LoggingPolicy {
  double share = 0.01;        ///< of the queries that it is trained on
  std::size_t at_least = 20;  ///< smallest number of queries that it is trained on
  std::uint32_t rounds = 20;  ///< each with as many steps as there are such queries
  LambdaRank learner{};
  std::uint64_t seed = 1;
};

/// Trains the linear ranker that displays logged lists, with grades, on a few queries. It ranks better than at random
/// and worse than a ranker trained on all queries. It shares no random numbers with a split or a training of the same
/// seed.
template <class = void>
[[nodiscard]] LinearRanker train_logging_policy(Dataset const& data, LoggingPolicy const& options = {}) {
  require(options.share >= 0.0 && options.share <= 1.0, "LoggingPolicy", "a share in [0, 1]", options.share);
  std::vector<std::uint32_t> queries(data.size());
  for (std::size_t q = 0; q < queries.size(); ++q) queries[q] = static_cast<std::uint32_t>(q);
  Stream stream = Streams{options.seed}.of(Purpose::logging_policy);
  std::uint64_t const training_seed = stream.bits64();
  stream.shuffle(std::span(queries));
  auto const share = static_cast<std::size_t>(options.share * static_cast<double>(queries.size()));
  queries.resize(std::min(queries.size(), std::max(options.at_least, share)));
  auto training = lambda_linear(QueryPool(data, std::move(queries)), options.learner, {.seed = training_seed});
  training.run(options.rounds);
  return training.ranker();
}

}  // namespace fltr
