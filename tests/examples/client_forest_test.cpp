#include "support/client_forest.hpp"

#include <csignal>

#include <cstddef>

#include <fltr/core/random.hpp>
#include <fltr/data/query_pool.hpp>
#include <fltr/learners/lambda_mart.hpp>
#include <fltr/partition/merging_client.hpp>
#include <fltr/rankers/forest.hpp>

#include "support/catch.hpp"
#include "support/interruption.hpp"
#include "support/same_bits.hpp"
#include "support/toy_dataset.hpp"

using namespace fltr;
using namespace fltr::examples;
using fltr::testing::same_bits;

namespace {

/// A signal comes after so many trees: while the next one grows.
struct SignalAfter {
  std::size_t trees;
  bool operator()(TreeRound const& round) const {
    if (round.trees.size() == trees) pretend_signal(SIGINT);
    return true;
  }
};
struct Session {
  Streams streams{7};
  void interruption_point(std::size_t) const noexcept {}
};

Forest grown(MergingClient const& client, std::size_t signal_after, std::size_t patience = 100) {
  LambdaMart const mart{.trees = 20, .leaves = 4, .min_data = 1, .patience = patience};
  ClientForest<SignalAfter> const learner{mart, StoppableThreads(Threads{2}), {signal_after}};
  Session session;
  Forest forest = learner.learn(Forest(5), client, session);
  pretend_signal(0);
  return forest;
}

}  // namespace

TEST_CASE("A signal ends the forest of a client in the middle of a tree, with the trees before it") {
  auto const data = fltr::testing::toy_dataset();
  MergingClient const client{.queries = QueryPool(data), .merge = QueryPool(data)};
  auto const whole = grown(client, 100);
  REQUIRE(whole.trees().size() == 20);
  Session session;
  CHECK(same_bits(whole, LambdaMart{.trees = 20, .leaves = 4, .min_data = 1}.learn(Forest(5), client, session)));
  auto const cut = grown(client, 3);
  CHECK(cut.trees().size() == 3);
  CHECK(cut.feature_count() == 5);
  CHECK(grown(client, 0).trees().empty());
}

TEST_CASE("A forest with validation queries ends with the best of the trees before a signal") {
  auto const data = fltr::testing::toy_dataset();
  MergingClient const client{.queries = QueryPool(data, {0, 1, 2, 3}),
                             .validation = QueryPool(data, {10, 11, 12, 13, 14}),
                             .merge = QueryPool(data)};
  // The observer sees the whole forest; the one that is returned ends with its best tree.
  auto const cut = grown(client, 8);
  LambdaMart const eight{.trees = 8, .leaves = 4, .min_data = 1};
  Session session;
  CHECK(same_bits(cut, eight.learn(Forest(5), client, session)));
}
