#include <fltr/partition/by_user.hpp>

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include <fltr/click_models/cascade_model.hpp>
#include <fltr/formats/letor_reader.hpp>
#include <fltr/formats/user_queries_reader.hpp>
#include <fltr/presets/fpdgd.hpp>
#include <fltr/rankers/linear_ranker.hpp>

#include "support/catch.hpp"
#include "support/datasets.hpp"

using namespace fltr;

namespace {

/// A log in the form of AOL4FOLTR: 20 documents per query, binary labels, lines in the order of time.
struct Fixture {
  std::string letor;
  std::string metadata = "qid,user_id,timestamp,query,target_doc_id,candidate_doc_ids\n";
};

Fixture generated(std::size_t queries, std::uint32_t users) {
  Fixture out;
  Stream stream(181);
  for (std::size_t q = 0; q < queries; ++q) {
    std::uint32_t const target = stream.below(20);
    for (std::uint32_t d = 0; d < 20; ++d)
      out.letor += std::string(d == target ? "1" : "0") + " qid:" + std::to_string(q) +
                   " 1:" + std::to_string(stream.uniform()) + " 2:" + std::to_string(stream.uniform()) + "\n";
    std::string const minute = std::to_string(10 + q % 50);
    std::string const hour = std::to_string(10 + q / 50);
    out.metadata += std::to_string(q) + "," + std::to_string(1000 + stream.below(users)) + ",2006-03-01 " + hour + ":" +
                    minute + ":00,a query,d" + std::to_string(target) + ",\"{'d1', 'd2'}\"\n";
  }
  return out;
}

}  // namespace

TEST_CASE("A client of ByUser is a user who asks the own queries in the order of time") {
  Fixture const files = generated(300, 12);
  Dataset const data = parse_letor(files.letor, "letor.txt");
  UserQueries const log = parse_user_queries(files.metadata, "metadata.csv", data);
  auto const clients = ByUser{.log = log, .interactions = 2}.split(data);
  REQUIRE(clients.size() == 12);
  std::vector<int> owners(300);
  for (std::size_t i = 0; i < clients.size(); ++i) {
    UserClient const& client = clients[i];
    CHECK(client.id == i);
    CHECK(clients.name_of(i) == log.users[i]);
    std::uint32_t before = 0;
    for (std::size_t q = 0; q < client.queries.size(); ++q) {
      std::uint32_t const number = client.queries.pool.index(q);
      ++owners[number];
      CHECK(client.queries[q].rows() == data[number].rows());  // no copy of features
      CHECK((q == 0 || number > before));                      // the fixture numbers queries by time
      before = number;
    }
  }
  CHECK(owners == std::vector<int>(300, 1));
  Stream stream(1);
  UserClient const& first = clients[0];
  for (std::uint32_t round = 1; round <= 3; ++round)
    for (std::uint32_t i = 0; i < 2; ++i)
      CHECK(first.queries.draw({round, i, 2}, stream).rows() == first.queries[2 * (round - 1) + i].rows());

  auto training = fpdgd(LinearRanker(2), CascadeModel::perfect(2)).start(clients);
  training.run(2);
  CHECK(training.round().statistics.lists == 24);
}

TEST_CASE("Users with few queries may be left out") {
  Dataset const data = fltr::testing::random_dataset(182, {.queries = 6});
  UserQueries const log{{"a", "b", "c"}, {{0, 3}, {1}, {2, 4, 5}}};
  auto const clients = ByUser{.log = log, .minimum_queries = 2}.split(data);
  REQUIRE(clients.size() == 2);
  CHECK(clients.name_of(1) == "c");
  CHECK(clients[1].id == 1);
  CHECK_THROWS_WITH((ByUser{.log = log, .minimum_queries = 4}.split(data)),
                    "ByUser: required at least one user with minimum_queries = 4 queries, got none");
}

TEST_CASE("ByUser refuses a log of other data and wrong parameters") {
  Dataset const data = fltr::testing::random_dataset(183, {.queries = 3});
  CHECK_THROWS_WITH((ByUser{.log = {{"a"}, {{3}}}}.split(data)), "QueryPool: required query numbers below 3, got 3");
  CHECK_THROWS_WITH((ByUser{.log = {{"a"}, {}}}.split(data)),
                    "ByUser: required one list of queries for each user, got 0");
  CHECK_THROWS_WITH((ByUser{.log = {{"a"}, {{0}}}, .interactions = 0}.split(data)),
                    "ByUser: required at least one interaction per round, got 0");
}
