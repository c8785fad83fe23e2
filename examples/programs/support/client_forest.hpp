#pragma once

#include <concepts>
#include <utility>
#include <vector>

#include <fltr/concepts/learner.hpp>
#include <fltr/core/observer.hpp>
#include <fltr/learners/early_stopping.hpp>
#include <fltr/learners/lambda_mart.hpp>
#include <fltr/learners/tree_round.hpp>
#include <fltr/metrics/ndcg.hpp>
#include <fltr/rankers/forest.hpp>

#include "interruption.hpp"

namespace fltr::examples {

/// LambdaMart of a client, on all threads. A signal ends it at once, in the middle of a tree: the forest has the trees that
/// were complete, up to the best one. Without a signal it is that of ParallelLambdaMart.
template <Observer<TreeRound> O>
struct ClientForest {
  using Message = Forest;
  static constexpr bool shows_lists = false;
  template <class R>
  static constexpr bool trains = std::same_as<R, Forest>;

  LambdaMart mart{};
  StoppableThreads threads;
  O observer{};

  auto members(auto&& visit) const { return visit(mart); }  // forests do not depend on the others

  [[nodiscard]] Forest learn(Forest const& global, auto const& client, auto& session) const {
    if (client.queries.size() == 0) return Forest(global.feature_count());
    std::vector<Tree> complete;
    EarlyStopping early{.patience = mart.patience};
    bool validates = false;
    try {
      return mart.train(threads, client.queries, client.validation, session.streams, Ndcg{},
                        [&](TreeRound const& round) {
                          if (round.trees.size() > complete.size()) complete.push_back(round.trees.back());
                          validates = validates || round.validation.has_value();
                          if (round.validation) early.add(round.trees.size(), *round.validation);
                          return fltr::observe(observer, round);
                        });
    } catch (Interrupted const&) {
      Forest forest(std::move(complete), global.feature_count());
      return validates ? early.best_of(forest) : forest;
    }
  }
};

}  // namespace fltr::examples
