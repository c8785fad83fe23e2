#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <fltr/boosting/boosted_scores.hpp>
#include <fltr/boosting/query_views.hpp>
#include <fltr/concepts/execution.hpp>
#include <fltr/concepts/metric.hpp>
#include <fltr/concepts/query_set.hpp>
#include <fltr/core/error.hpp>
#include <fltr/core/random.hpp>
#include <fltr/learners/lambda_mart.hpp>
#include <fltr/metrics/ndcg.hpp>

namespace fltr {

/// The parameters and the result of one trial.
struct Trial {
  std::uint32_t number = 0;
  double learning_rate = 0.0;
  std::uint64_t leaves = 0;
  std::uint64_t min_data = 0;
  double min_hessian = 0.0;
  std::uint64_t trees = 0;  ///< number of trees with the highest validation metric
  double value = 0.0;       ///< the validation metric with these trees

  /// `base` with the parameters of this trial and its number of trees.
  [[nodiscard]] LambdaMart learner(LambdaMart base) const {
    base.trees = trees;
    base.learning_rate = learning_rate;
    base.leaves = leaves;
    base.min_data = min_data;
    base.min_hessian = min_hessian;
    return base;
  }

  [[nodiscard]] bool tries_the_same_as(Trial const& other) const noexcept {
    return number == other.number && learning_rate == other.learning_rate && leaves == other.leaves &&
           min_data == other.min_data && min_hessian == other.min_hessian;
  }

  auto fields(auto&& visit) { return visit(number, learning_rate, leaves, min_data, min_hessian, trees, value); }
  friend bool operator==(Trial const&, Trial const&) = default;
};

/// Random search (Bergstra and Bengio 2012) for four parameters of LambdaMART. Each trial stops early on validation
/// queries. The ranges are those of the paper on merging forests.
///
/// The parameters of trial i are a function of the seed and i: an interrupted search that continues from its completed
/// trials has the same result as an uninterrupted one. Trials run one after the other, each on all threads of the
/// Execution.
struct RandomSearch {
  LambdaMart base{.trees = 3000};
  std::uint64_t seed = 1;
  std::vector<double> learning_rates{0.0001, 0.0005, 0.001, 0.005, 0.01, 0.05, 0.1, 0.2, 0.3};
  std::uint32_t least_leaves = 15, most_leaves = 255;
  std::uint32_t least_data = 10, most_data = 500, data_step = 5;
  std::uint32_t least_hessian = 1, most_hessian = 100;

  /// The parameters of a trial, without a result.
  [[nodiscard]] Trial candidate(std::uint32_t number) const {
    require(!learning_rates.empty(), "RandomSearch", "at least one learning rate", learning_rates.size());
    require(least_leaves >= 1 && least_leaves <= most_leaves, "RandomSearch",
            "1 <= least_leaves <= most_leaves = " + std::to_string(most_leaves), least_leaves);
    require(least_data <= most_data && data_step > 0, "RandomSearch",
            "least_data <= most_data = " + std::to_string(most_data) + " and data_step > 0", least_data);
    require(least_hessian <= most_hessian, "RandomSearch",
            "least_hessian <= most_hessian = " + std::to_string(most_hessian), least_hessian);
    Stream stream = Streams{.seed = seed, .round = number}.of(Purpose::start);
    auto const draw = [&](std::uint32_t least, std::uint32_t most) { return least + stream.below(most - least + 1); };
    Trial trial{.number = number};
    trial.learning_rate = learning_rates[stream.below(static_cast<std::uint32_t>(learning_rates.size()))];
    trial.leaves = draw(least_leaves, most_leaves);
    trial.min_data = least_data + std::uint64_t{data_step} * draw(0, (most_data - least_data) / data_step);
    trial.min_hessian = draw(least_hessian, most_hessian);
    return trial;
  }

  /// Runs trials until there are `count`. Trials in `done` are not run again: they must be from this search and the
  /// same queries (the queries are not checked). Requires base.patience > 0.
  template <Execution E, QuerySet Queries, QuerySet Validation, Metric M = Ndcg>
  [[nodiscard]] std::vector<Trial> run(E const& execution, Queries const& queries, Validation const& validation,
                                       std::size_t count, std::vector<Trial> done = {}, M const& metric = {}) const {
    require(base.patience > 0, "RandomSearch", "base.patience >= 1", base.patience);
    for (std::size_t i = 0; i < done.size(); ++i)
      require(done[i].tries_the_same_as(candidate(static_cast<std::uint32_t>(i))), "RandomSearch",
              "trial " + std::to_string(i) + " with the parameters of this search", "other parameters");
    while (done.size() < count) {
      Trial trial = candidate(static_cast<std::uint32_t>(done.size()));
      trial.trees = base.trees;
      auto const forest = trial.learner(base).train(execution, queries, validation,
                                                    Streams{.seed = seed, .round = trial.number}, metric);
      BoostedScores scores(query_views(validation));
      for (Tree const& tree : forest.trees()) scores.add(execution, tree);
      trial.trees = forest.trees().size();
      trial.value = scores.evaluate_for_selection(execution, metric).mean();
      done.push_back(trial);
    }
    return done;
  }

  /// The trial with the highest value; the first one of equal values.
  [[nodiscard]] static Trial best(std::span<Trial const> trials) {
    require(!trials.empty(), "RandomSearch", "at least one trial", trials.size());
    return *std::ranges::max_element(trials, {}, &Trial::value);
  }
};

}  // namespace fltr
