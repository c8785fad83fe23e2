#include <fltr/partition/dirichlet_over_queries.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "support/catch.hpp"
#include "support/datasets.hpp"

using fltr::Dataset;
using fltr::DirichletOverQueries;

namespace {

std::vector<std::size_t> sizes(fltr::SharedClients<> const& clients) {
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < clients.size(); ++i) out.push_back(clients[i].queries.size());
  return out;
}

}  // namespace

TEST_CASE("A Dirichlet partition over queries gives each query to one client") {
  Dataset const data = fltr::testing::random_dataset(81, {.queries = 500});
  for (double const alpha : {0.1, 1.0, 100.0}) {
    auto const clients = DirichletOverQueries{.alpha = alpha, .clients = 8, .interactions = 2}.split(data);
    REQUIRE(clients.size() == 8);
    std::vector<int> owners(500);
    for (std::size_t i = 0; i < 8; ++i) {
      CHECK(clients[i].id == i);
      CHECK(clients[i].interactions == 2);
      CHECK(clients[i].queries.size() >= 1);
      for (std::size_t q = 0; q < clients[i].queries.size(); ++q) {
        ++owners[clients[i].queries.index(q)];
        CHECK(clients[i].queries[q].rows() == data[clients[i].queries.index(q)].rows());
      }
    }
    CHECK(owners == std::vector<int>(500, 1));
  }
}

TEST_CASE("A small concentration gives most queries to few clients, a large one equal numbers") {
  Dataset const data = fltr::testing::random_dataset(82, {.queries = 10'000, .features = 1, .most_documents = 1});
  auto const equal = sizes(DirichletOverQueries{.alpha = 1e6, .clients = 10}.split(data));
  // A share has the standard deviation √(.1 · .9 / (1e7 + 1)) < 1e-4, that is one query.
  for (std::size_t const size : equal) CHECK((size >= 990 && size <= 1010));
  auto const skewed = sizes(DirichletOverQueries{.alpha = 0.01, .clients = 10, .minimum_queries = 0}.split(data));
  std::size_t most = 0;
  for (std::size_t const size : skewed) most = std::max(most, size);
  CHECK(most > 5000);  // the mean of the largest share is above .9
  CHECK(sizes(DirichletOverQueries{.seed = 2}.split(data)) == sizes(DirichletOverQueries{.seed = 2}.split(data)));
  CHECK(sizes(DirichletOverQueries{.seed = 2}.split(data)) != sizes(DirichletOverQueries{.seed = 3}.split(data)));
}

TEST_CASE("1,000 clients with alpha 0.01 end with a result or with an error that has the numbers") {
  Dataset const data = fltr::testing::random_dataset(83, {.queries = 6000, .features = 1, .most_documents = 1});
  DirichletOverQueries how{.alpha = 0.01, .clients = 1000};
  CHECK_THROWS_WITH(how.split(data),
                    "DirichletOverQueries: required at least minimum_queries = 1 queries for each of 1000 clients with "
                    "alpha 0.01, got a client with 0 in the best of 100 draws (a minimum of 0 allows clients without "
                    "queries)");
  how.minimum_queries = 0;
  auto const clients = how.split(data);
  std::size_t total = 0;
  for (std::size_t const size : sizes(clients)) total += size;
  CHECK(total == 6000);
}

TEST_CASE("DirichletOverQueries refuses wrong parameters") {
  Dataset const data = fltr::testing::random_dataset(84, {.queries = 20});
  auto const split = [&](DirichletOverQueries const& how) { return how.split(data); };
  CHECK_THROWS_WITH(split({.alpha = 0}), "DirichletOverQueries: required alpha in [1e-6, 1e6], got 0");
  CHECK_THROWS_WITH(split({.clients = 0}), "DirichletOverQueries: required 1 to 2^32 - 1 clients, got 0");
  CHECK_THROWS_WITH(split({.interactions = 0}),
                    "DirichletOverQueries: required at least one interaction per round, got 0");
  CHECK_THROWS_WITH(split({.most_tries = 0}), "DirichletOverQueries: required most_tries >= 1, got 0");
  CHECK_THROWS_WITH(split({.clients = 21}),
                    "DirichletOverQueries: required 1 queries for each of 21 clients, got 20 queries in all");
}
