#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <set>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

#include <fltr/aggregators/fed_avg.hpp>
#include <fltr/click_models/cascade_model.hpp>
#include <fltr/data/regroup.hpp>
#include <fltr/execution/threads.hpp>
#include <fltr/federation/make_federation.hpp>
#include <fltr/federation/warm_start.hpp>
#include <fltr/learners/pdgd.hpp>
#include <fltr/partition/iid.hpp>
#include <fltr/partition/sampled.hpp>
#include <fltr/partition/shared_data.hpp>
#include <fltr/rankers/linear_ranker.hpp>

#include "support/catch.hpp"
#include "support/same_bits.hpp"
#include "support/toy_dataset.hpp"

namespace {

using namespace fltr;
using fltr::testing::same_bits;
using fltr::testing::toy_dataset;

static_assert(Population<std::vector<SharingClient>>);

std::set<std::uint32_t> numbers(QueryPool const& pool) {
  std::set<std::uint32_t> out;
  for (std::size_t i = 0; i < pool.size(); ++i) out.insert(pool.index(i));
  return out;
}

}  // namespace

TEST_CASE(
    "G is a share of the queries, a fraction of G goes to all clients, and no client has G among its own queries") {
  auto const data = toy_dataset(200, 3);
  SharedData const sharing{.share = 0.1, .fraction = 0.25, .seed = 9};
  QueryPool const g = sharing.choose(data);
  CHECK(g.size() == 20);
  CHECK(numbers(g).size() == 20);
  auto const clients = sharing.give(split_iid(data, {.clients = 7, .interactions = 3}), g);
  REQUIRE(clients.size() == 7);
  auto const common = numbers(clients[0].queries.shared());
  CHECK(common.size() == 5);
  CHECK(std::ranges::includes(numbers(g), common));
  for (std::size_t i = 0; i < 7; ++i) {
    CHECK(clients[i].id == i);
    CHECK(clients[i].interactions == 3);
    CHECK(numbers(clients[i].queries.shared()) == common);
    auto const own = numbers(clients[i].queries.own());
    CHECK(own.size() == 180);
    for (std::uint32_t q : numbers(g)) CHECK_FALSE(own.contains(q));
    CHECK(clients[i].queries.own().same_queries(clients[0].queries.own()));  // one pool in memory
  }
  CHECK(numbers(SharedData{.seed = 10}.choose(data)) != numbers(SharedData{.seed = 11}.choose(data)));
}

TEST_CASE("Clients may keep the queries of G, and a fraction of 0 shares nothing") {
  auto const data = toy_dataset(50, 3);
  SharedData const sharing{.share = 0.2, .fraction = 0.0, .removed = false};
  auto const clients = sharing.give(split_iid(data, {.clients = 2, .interactions = 3}), sharing.choose(data));
  CHECK(clients[1].queries.own().size() == 50);
  CHECK(clients[1].queries.shared().size() == 0);
}

TEST_CASE("All parts of a query that is divided among clients are removed, and own grades stay with their queries") {
  auto const data = toy_dataset(30, 6);
  std::vector<std::uint32_t> halves;
  for (std::size_t d = 0; d < data.document_count(); ++d) halves.push_back(static_cast<std::uint32_t>(d % 2));
  auto const parts = regroup(data, halves);
  std::vector<Client> clients;
  for (std::uint32_t i = 0; i < 2; ++i) {
    auto const pool = parts.pool_of(i);
    std::vector<Grade> grades;  // the number of the query in the part, modulo 3
    for (std::size_t q = 0; q < pool.size(); ++q)
      grades.insert(grades.end(), pool[q].document_count(), static_cast<Grade>(q % 3));
    clients.push_back({i, 2, pool.with_grades(grades)});
  }
  SharedData const sharing{.share = 0.2};
  QueryPool const g = sharing.choose(data);
  std::set<std::string_view> taken;
  for (std::size_t i = 0; i < g.size(); ++i) taken.insert(g.qid(i));
  auto const shared = sharing.give(clients, g);
  for (std::uint32_t i = 0; i < 2; ++i) {
    auto const& own = shared[i].queries.own();
    CHECK(own.size() == 24);
    std::size_t next = 0;
    for (std::size_t q = 0; q < clients[i].queries.size(); ++q) {
      if (taken.contains(clients[i].queries.qid(q))) continue;
      CHECK(own.qid(next) == clients[i].queries.qid(q));
      CHECK(std::ranges::equal(own[next].grades(), clients[i].queries[q].grades()));
      CHECK(own[next].rows() == clients[i].queries[q].rows());  // features are not copied
      ++next;
    }
    CHECK(next == own.size());
  }
}

TEST_CASE("A client whose queries are all in G draws from the shared queries") {
  auto const data = toy_dataset(10, 3);
  SharedData const sharing{.share = 0.5, .fraction = 1.0};
  QueryPool const g = sharing.choose(data);
  auto const clients = sharing.give(std::vector<Client>{{4, 2, g}, {5, 2, QueryPool()}}, g);
  for (auto const& client : clients.clients) {
    CHECK(client.queries.own().size() == 0);
    CHECK(client.queries.size() == 5);
  }
}

TEST_CASE("A federation of sharing clients has the same bits on any number of threads, and takes Sampled around it") {
  auto const data = toy_dataset();
  SharedData const sharing;
  auto const clients = sharing.give(split_iid(data, {.clients = 40, .interactions = 3}), sharing.choose(data));
  auto const run = [&](auto execution) {
    auto training = make_federation(LinearRanker(5), CascadeModel::perfect(3), Pdgd{}, FedAvg{})
                        .with_execution(execution)
                        .start(Sampled{clients, 20});
    training.run(3);
    return training.ranker();
  };
  for (int threads : {2, 3}) CHECK(same_bits(run(Threads{threads}), run(Threads{1})));
}

TEST_CASE("The start model reveals G, and with 'removed' the clients' own pools do not depend on G") {
  SharedData const sharing{.share = 0.2, .fraction = 0.0};
  auto const data = toy_dataset();
  QueryPool const g = sharing.choose(data);
  // The same data with another secret: one query of G has the reverse grades.
  std::size_t const first = data.first_document(g.index(0));
  DatasetParts parts = data.parts();
  for (std::size_t d = 0; d < g[0].document_count(); ++d)
    parts.grades[first + d] = static_cast<Grade>(2 - parts.grades[first + d]);
  Dataset const other(std::move(parts));
  QueryPool const other_g = sharing.choose(other);
  REQUIRE(numbers(other_g) == numbers(g));

  auto const federation = make_federation(LinearRanker(5), CascadeModel::perfect(3), Pdgd{}, FedAvg{});
  CHECK_FALSE(same_bits(warm_start(federation, g, {.rounds = 20}), warm_start(federation, other_g, {.rounds = 20})));

  auto const same_pools = [](QueryPool const& a, QueryPool const& b) {
    if (a.size() != b.size()) return false;
    for (std::size_t q = 0; q < a.size(); ++q) {
      if (a.qid(q) != b.qid(q) || !std::ranges::equal(a[q].grades(), b[q].grades())) return false;
      for (std::size_t d = 0; d < a[q].document_count(); ++d)
        if (!std::ranges::equal(a[q].row(d), b[q].row(d))) return false;
    }
    return true;
  };
  for (bool const removed : {true, false}) {
    SharedData own = sharing;
    own.removed = removed;
    auto const clients = own.give(split_iid(data, {.clients = 3}), g);
    auto const other_clients = own.give(split_iid(other, {.clients = 3}), other_g);
    for (std::size_t i = 0; i < 3; ++i)
      CHECK(same_pools(clients[i].queries.own(), other_clients[i].queries.own()) == removed);
    // From the same start model, a training depends on G only if clients keep it.
    auto training = federation.start(clients);
    auto other_training = federation.start(other_clients);
    training.run(20);
    other_training.run(20);
    CHECK(same_bits(training.ranker(), other_training.ranker()) == removed);
  }
}

TEST_CASE("A share outside (0, 1) and a fraction outside [0, 1] are errors") {
  auto const data = toy_dataset(10, 3);
  for (double share : {0.0, 1.0, -0.5, std::numeric_limits<double>::quiet_NaN()})
    CHECK_THROWS_AS(SharedData{.share = share}.choose(data), std::invalid_argument);
  for (double fraction : {-0.1, 1.1, std::numeric_limits<double>::quiet_NaN()})
    CHECK_THROWS_AS(SharedData{.fraction = fraction}.sent(QueryPool(data)), std::invalid_argument);
  CHECK_THROWS_WITH(QueryPool(data).only({10}), "QueryPool::only: required positions below 10, got 10");
}
