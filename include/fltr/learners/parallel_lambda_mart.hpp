#pragma once

#include <concepts>

#include <fltr/concepts/execution.hpp>
#include <fltr/concepts/learner.hpp>
#include <fltr/core/observer.hpp>
#include <fltr/core/random.hpp>
#include <fltr/core/serial.hpp>
#include <fltr/learners/lambda_mart.hpp>
#include <fltr/learners/tree_round.hpp>
#include <fltr/metrics/ndcg.hpp>
#include <fltr/rankers/forest.hpp>

namespace fltr {

/// LambdaMart with an Execution and an observer of its own. A federation runs many clients at the same time, which does
/// not help a few organisations with many documents each. With this learner all threads grow one tree together. The
/// forests are those of LambdaMart, unless the observer ends a training early.
template <Execution E = Serial, Observer<TreeRound> O = NoObserver>
struct ParallelLambdaMart {
  using Message = Forest;
  static constexpr bool shows_lists = false;
  template <class R>
  static constexpr bool trains = std::same_as<R, Forest>;

  LambdaMart mart{};
  E execution{};
  O observer{};  ///< called for every client, see LambdaMart::train

  auto members(auto&& visit) const { return visit(mart); }  // forests do not depend on the others

  /// For clients with members `queries` and `validation`.
  [[nodiscard]] Forest learn(Forest const& global, auto const& client, auto& session) const {
    if (client.queries.size() == 0) return Forest(global.feature_count());
    return mart.train(execution, client.queries, client.validation, session.streams, Ndcg{},
                      [&](TreeRound const& round) {
                        session.interruption_point(client.queries.size());
                        return observe(observer, round);
                      });
  }

  /// Trains one forest, for Stacking.
  template <class Queries>
  [[nodiscard]] Forest train(Queries const& queries, Queries const& validation, Streams streams) const {
    return mart.train(execution, queries, validation, streams, Ndcg{}, observer);
  }
};

}  // namespace fltr
