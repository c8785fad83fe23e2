#include <fltr/partition/dirichlet_over_grades.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <fltr/click_models/cascade_model.hpp>
#include <fltr/presets/fpdgd.hpp>
#include <fltr/rankers/linear_ranker.hpp>

#include "support/catch.hpp"
#include "support/numbered_documents.hpp"

using namespace fltr;
using namespace fltr::testing;

namespace {

Dataset documents() { return numbered_documents(91, {.queries = 100, .features = 3, .most_documents = 60}); }

/// Documents by client and grade.
std::vector<std::vector<std::size_t>> counts(RegroupedPopulation const& clients, std::size_t grades) {
  std::vector<std::vector<std::size_t>> out(clients.size(), std::vector<std::size_t>(grades));
  for (std::size_t i = 0; i < clients.size(); ++i)
    for (std::size_t q = 0; q < clients[i].queries.size(); ++q)
      for (Grade const grade : clients[i].queries[q].grades()) ++out[i][grade];
  return out;
}

}  // namespace

TEST_CASE("A Dirichlet partition over grades gives each document to one client and copies no features") {
  Dataset const data = documents();
  for (auto const divide : {DivideBy::documents, DivideBy::queries})
    for (auto const variant : {DirichletVariant::per_grade, DirichletVariant::per_grade_capped}) {
      Dataset copy = data;
      float const* const features = copy.parts().features.data();
      DirichletOverGrades const how{
          .alpha = 0.3, .clients = 12, .variant = variant, .divide_by = divide, .minimum_documents = 20};
      auto const clients = how.split(std::move(copy));
      CHECK(clients.data().parts().features.data() == features);
      auto const own = documents_of_clients(clients);
      CHECK(owners_of_documents(own, data.document_count()) == std::vector<int>(data.document_count(), 1));
      for (auto const& of_client : own) CHECK(of_client.size() >= 20);
    }
}

TEST_CASE("A large concentration gives every client the same grades") {
  Dataset const data = documents();
  auto const clients = DirichletOverGrades{.alpha = 1e6, .clients = 5}.split(Dataset(data));
  auto const table = counts(clients, 5);
  for (std::size_t grade = 0; grade < 5; ++grade) {
    auto const all = static_cast<double>(std::ranges::count(data.parts().grades, static_cast<Grade>(grade)));
    for (auto const& client : table)  // five standard deviations of a share are .001; the ends of parts are rounded
      CHECK(std::abs(static_cast<double>(client[grade]) - all / 5) < 1 + .001 * all);
  }
}

TEST_CASE("A small concentration gives most documents of a grade to one client") {
  auto const clients = DirichletOverGrades{.alpha = 0.01, .clients = 5, .minimum_documents = 0}.split(documents());
  auto const table = counts(clients, 5);
  std::size_t largest = 0;
  std::size_t total = 0;
  for (std::size_t grade = 0; grade < 5; ++grade) {
    std::size_t most = 0;
    for (auto const& client : table) {
      most = std::max(most, client[grade]);
      total += client[grade];
    }
    largest += most;
  }
  CHECK(10 * largest > 9 * total);  // the mean of the largest of 5 shares is above .97
}

TEST_CASE("With a cap, a client with its mean number of documents gets no further grade") {
  Dataset const data = documents();
  std::size_t const all = data.document_count();
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    DirichletOverGrades const how{.alpha = 0.3,
                                  .clients = 8,
                                  .variant = DirichletVariant::per_grade_capped,
                                  .minimum_documents = 0,
                                  .seed = seed};
    for (auto const& client : counts(how.split(Dataset(data)), 5)) {
      std::size_t held = 0;
      for (std::size_t const of_grade : client) {
        if (8 * held >= all) REQUIRE(of_grade == 0);
        held += of_grade;
      }
    }
  }
}

TEST_CASE("With a cap, a client with exactly its mean number of documents is full") {
  // Ten documents of grade 0 and ten of grade 1, two clients: one that has all of grade 0 has its mean number.
  std::vector<Document> query;
  for (int d = 0; d < 20; ++d) query.push_back({d / 10, {1.0F}});
  DirichletOverGrades how{.clients = 2, .variant = DirichletVariant::per_grade_capped, .minimum_documents = 0};
  std::size_t exact = 0;
  how.alpha = 0.01;  // one client has nearly all of a grade, and the other one a share above 0
  for (how.seed = 1; how.seed <= 30; ++how.seed) {
    auto const table = counts(how.split(dataset_of({query}, 1)), 2);
    for (std::size_t i : {0U, 1U})
      if (table[i][0] == 10) {
        ++exact;
        CHECK(table[i][1] == 0);
        CHECK(table[1 - i][1] == 10);
      }
  }
  CHECK(exact > 20);
  // If only full clients have a share, shares stay as they were drawn: with this alpha the others have 0.
  how.alpha = 1e-6;
  std::size_t both = 0;
  for (how.seed = 1; how.seed <= 30; ++how.seed) {
    auto const table = counts(how.split(dataset_of({query}, 1)), 2);
    CHECK(table[0][0] + table[1][0] == 10);
    CHECK(table[0][1] + table[1][1] == 10);
    both += table[0][0] == table[0][1] ? 1U : 0U;  // one client has both grades, or none
  }
  CHECK(both >= 5);  // half of 30; fewer than 5 with probability 2e-5
  CHECK(both <= 25);
}

TEST_CASE("With a cap, the clients that are not full divide a grade without regard to their places") {
  // Grade 0 has 60 of 100 documents. A client with more than 33 of them is full, and the two others divide grade 1. By
  // symmetry the first of them has half of it on average: its share is uniform, with a deviation of .29, and about 240
  // of 400 draws have a full client.
  std::vector<Document> query;
  for (int d = 0; d < 1000; ++d) query.push_back({d < 600 ? 0 : 1, {1.0F}});
  DirichletOverGrades how{
      .alpha = 1.0, .clients = 3, .variant = DirichletVariant::per_grade_capped, .minimum_documents = 0};
  double sum = 0.0;
  double draws = 0.0;
  for (how.seed = 1; how.seed <= 400; ++how.seed) {
    auto const table = counts(how.split(dataset_of({query}, 1)), 2);
    for (std::size_t i = 0; i < 3; ++i)
      if (3 * table[i][0] >= 1000) {
        CHECK(table[i][1] == 0);
        sum += static_cast<double>(table[i == 0 ? 1 : 0][1]) / 400.0;
        ++draws;
      }
  }
  CHECK(draws > 150);
  CHECK(std::abs(sum / draws - 0.5) < 5 * 0.29 / std::sqrt(draws) + 1e-3);  // ends of parts are rounded down
}

TEST_CASE("1,000 clients with alpha 0.01 over grades end with a result or with an error that has the numbers") {
  Dataset const data = numbered_documents(92, {.queries = 400, .features = 3, .most_documents = 40});
  DirichletOverGrades how{.alpha = 0.01, .clients = 1000};
  CHECK_THROWS_WITH(how.split(Dataset(data)),
                    "DirichletOverGrades: required at least minimum_documents = 1 documents for each of 1000 clients "
                    "with alpha 0.01, got a client with 0 in the best of 100 draws (a minimum of 0 allows clients "
                    "without documents)");
  how.minimum_documents = 0;
  auto const clients = how.split(Dataset(data));
  CHECK(owners_of_documents(documents_of_clients(clients), data.document_count()) ==
        std::vector<int>(data.document_count(), 1));
  // Most clients have nothing. All of them answer.
  auto training = fpdgd(LinearRanker(3), CascadeModel::perfect(5)).start(clients);
  training.run(1);
  CHECK(training.round().statistics.reported == 1000);
}

TEST_CASE("The same seed gives the same partition, and another seed another one") {
  auto const own = [](std::uint64_t seed) {
    return documents_of_clients(DirichletOverGrades{.seed = seed}.split(documents()));
  };
  CHECK(own(1) == own(1));
  CHECK(own(1) != own(2));
}

TEST_CASE("DirichletOverGrades refuses wrong parameters") {
  auto const split = [&](DirichletOverGrades const& how) { return how.split(dataset_of({{{0, {1}}, {1, {2}}}}, 1)); };
  CHECK_THROWS_WITH(split({.alpha = -1}), "DirichletOverGrades: required alpha in [1e-6, 1e6], got -1");
  CHECK_THROWS_WITH(split({.clients = 0}), "DirichletOverGrades: required 1 to 2^32 - 1 clients, got 0");
  CHECK_THROWS_WITH(split({.clients = 1, .most_tries = 0}), "DirichletOverGrades: required most_tries >= 1, got 0");
  CHECK_THROWS_WITH(split({.clients = 3}),
                    "DirichletOverGrades: required 1 documents for each of 3 clients, got 2 documents in all");
}
