#include <fltr/partition/by_label.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include <fltr/click_models/cascade_model.hpp>
#include <fltr/metrics/online_measure.hpp>
#include <fltr/presets/fpdgd.hpp>
#include <fltr/rankers/linear_ranker.hpp>

#include "support/catch.hpp"
#include "support/numbered_documents.hpp"

using namespace fltr;
using namespace fltr::testing;

namespace {

Dataset documents() { return numbered_documents(51, {.queries = 80, .features = 3, .most_documents = 40}); }

/// The discounted online nDCG@10 of FPDGD over some rounds.
double online_discounted(RegroupedPopulation const& clients, CascadeModel const& clicks, std::uint32_t rounds) {
  auto training = fpdgd(LinearRanker(3), clicks).start(clients, {.seed = 5});
  OnlineMeasure online;
  training.run(rounds, [&](auto const& round) {
    online.add(round.statistics.online_ndcg(), round.statistics.lists);
    CHECK(round.statistics.reported == clients.size());
  });
  return online.value();
}

template <class D>
concept Splits = requires(D&& data) { ByLabel{}.split(std::forward<D>(data)); };

}  // namespace

TEST_CASE("ByLabel takes the Dataset: a copy must be written") {
  STATIC_REQUIRE(Splits<Dataset>);
  STATIC_REQUIRE(!Splits<Dataset&>);
  STATIC_REQUIRE(!Splits<Dataset const&>);
}

TEST_CASE("Type 2: each client has documents of its grades only, and each document belongs to one client") {
  Dataset const data = documents();
  std::size_t const count = data.document_count();
  for (auto const divide : {DivideBy::documents, DivideBy::queries})
    for (std::size_t labels = 1; labels <= 5; ++labels)
      for (std::size_t const times : {1U, 3U}) {
        std::size_t const sets = std::vector<std::size_t>{5, 10, 10, 5, 1}[labels - 1];  // 5 choose `labels`
        ByLabel const by_label{.labels_per_client = labels, .clients = times * sets, .divide_by = divide, .seed = 3};
        Dataset copy = data;
        float const* const features = copy.parts().features.data();
        auto const clients = by_label.split(std::move(copy));
        CHECK(clients.data().parts().features.data() == features);
        REQUIRE(clients.size() == times * sets);
        auto const own = documents_of_clients(clients);
        REQUIRE(owners_of_documents(own, count) == std::vector<int>(count, 1));
        auto const grades = by_label.grades_of_clients(5);
        for (std::size_t i = 0; i < clients.size(); ++i) {
          std::set<Grade> seen;
          for (std::size_t const d : own[i]) seen.insert(data.parts().grades[d]);
          REQUIRE(std::ranges::equal(seen, grades[i]));
        }
      }
}

TEST_CASE("Type 2: the documents of a grade are divided equally among its owners") {
  Dataset const data = documents();
  ByLabel const by_label{.labels_per_client = 2, .clients = 20};
  auto const clients = by_label.split(Dataset(data));
  auto const own = documents_of_clients(clients);
  auto const grades = by_label.grades_of_clients(5);
  for (Grade grade = 0; grade < 5; ++grade) {
    auto const total = static_cast<std::size_t>(std::ranges::count(data.parts().grades, grade));
    for (std::size_t i = 0; i < 20; ++i) {
      if (std::ranges::count(grades[i], grade) == 0) continue;
      auto const share = static_cast<std::size_t>(
          std::ranges::count_if(own[i], [&](std::size_t d) { return data.parts().grades[d] == grade; }));
      CHECK((share == total / 8 || share == total / 8 + 1));  // 8 of 20 clients have the grade
    }
  }
}

TEST_CASE("Type 2: all combinations of grades occur equally often, in an order that the seed decides") {
  auto const grades = ByLabel{.labels_per_client = 2, .clients = 20, .seed = 1}.grades_of_clients(5);
  std::multiset<std::vector<Grade>> sets(grades.begin(), grades.end());
  CHECK(std::set<std::vector<Grade>>(grades.begin(), grades.end()).size() == 10);
  for (auto const& set : sets) {
    CHECK(sets.count(set) == 2);
    CHECK((set.size() == 2 && set[0] < set[1] && set[1] < 5));
  }
  CHECK(ByLabel{.labels_per_client = 2, .clients = 20, .seed = 1}.grades_of_clients(5) == grades);
  CHECK(ByLabel{.labels_per_client = 2, .clients = 20, .seed = 2}.grades_of_clients(5) != grades);
}

TEST_CASE("Type 2 by queries keeps documents of one query and grade together") {
  Dataset const data = documents();
  auto const clients = ByLabel{.clients = 15, .divide_by = DivideBy::queries}.split(Dataset(data));
  std::set<std::pair<std::uint32_t, Grade>> seen;
  for (std::size_t i = 0; i < clients.size(); ++i)
    for (std::size_t q = 0; q < clients[i].queries.size(); ++q) {
      auto const original = clients.regrouped().original_query(clients[i].queries.index(q));
      CHECK(seen.emplace(original, clients[i].queries[q].grades()[0]).second);
    }
}

TEST_CASE("Type 2 with #R = 1: the discounted online nDCG is exactly (g - 1) / g of its maximum") {
  // Every displayed list has documents of one grade. Its nDCG is 1 for a grade above 0, and 0 (nothing relevant) for
  // grade 0, in any order and for any clicks. Wang 2024, table 4.3: .8 · Σ .9995^t = 1589.23 for t < 10,000.
  constexpr std::uint32_t rounds = 12;
  double const sum = (1.0 - std::pow(.9995, rounds)) / (1.0 - .9995);
  CHECK(.8 * (1.0 - std::pow(.9995, 10'000)) / (1.0 - .9995) == Approx(1589.23).margin(.01));
  for (std::uint32_t const grades : {3U, 5U}) {
    Dataset const data = random_dataset(52, {.queries = 30, .features = 3, .most_documents = 30, .grades = grades});
    for (std::uint32_t const interactions : {2U, 5U, 10U})
      for (std::size_t const times : {1U, 2U})
        for (auto const& clicks : {CascadeModel::perfect(grades), CascadeModel::informational(grades)}) {
          auto const clients = ByLabel{.clients = times * grades, .interactions = interactions}.split(Dataset(data));
          double const share = static_cast<double>(grades - 1) / grades;
          CHECK(online_discounted(clients, clicks, rounds) == Approx(share * sum).epsilon(1e-12));
        }
  }
}

TEST_CASE("Any number of clients divides the documents, if each choice of grades has a client") {
  Dataset const data = random_dataset(53, {.queries = 40});
  for (std::size_t const clients : {10U, 12U, 29U}) {
    ByLabel const by_label{.labels_per_client = 2, .clients = clients};
    std::map<std::vector<Grade>, std::size_t> with;
    for (auto const& grades : by_label.grades_of_clients(5)) ++with[grades];
    CHECK(with.size() == 10);  // 5 over 2
    for (auto const& [grades, count] : with) CHECK((count == clients / 10 || count == clients / 10 + 1));
    auto const population = by_label.split(Dataset(data));
    REQUIRE(population.size() == clients);
    std::size_t documents = 0;
    for (std::size_t i = 0; i < clients; ++i) {
      auto const client = population[i];
      for (std::size_t q = 0; q < client.queries.size(); ++q) documents += client.queries[q].document_count();
    }
    CHECK(documents == data.document_count());
  }
}

TEST_CASE("A client of a grade that does not occur has nothing and still answers") {
  Dataset const data = dataset_of({{{0, {1}}, {2, {2}}, {2, {3}}}, {{0, {4}}, {2, {1}}}}, 1);
  auto const clients = ByLabel{}.split(Dataset(data));
  REQUIRE(clients.size() == 3);
  std::size_t empty = 0;
  for (std::size_t i = 0; i < 3; ++i) empty += clients[i].queries.size() == 0 ? 1U : 0U;
  CHECK(empty == 1);
  auto training = fpdgd(LinearRanker(1), CascadeModel::perfect(3)).start(clients);
  training.run(2);
  CHECK(training.round().statistics.reported == 3);
}

TEST_CASE("ByLabel refuses more labels per client than grades and wrong numbers of clients") {
  Dataset const data = random_dataset(53, {.queries = 30});
  auto const split = [&](ByLabel const& by_label) { return by_label.split(Dataset(data)); };
  CHECK_THROWS_WITH(split({.labels_per_client = 6}),
                    "ByLabel: required labels_per_client of 1 to 5, the number of grades, got 6");
  CHECK_THROWS_WITH(split({.labels_per_client = 0}),
                    "ByLabel: required labels_per_client of 1 to 5, the number of grades, got 0");
  CHECK_THROWS_WITH(split({.labels_per_client = 2, .clients = 9}),
                    "ByLabel: required at least 10 clients, one for each choice of 2 of 5 grades, got 9");
  CHECK_THROWS_WITH(split({.interactions = 0}),
                    "RegroupedPopulation: required at least one interaction per round, got 0");
  CHECK_THROWS_WITH(ByLabel{}.split(Dataset()), "ByLabel: required a dataset with at least one document, got 0");
  CHECK_THROWS_WITH(ByLabel{.labels_per_client = 15}.grades_of_clients(31),
                    "ByLabel: required at most 1,000,000 combinations of grades, got more");
}
