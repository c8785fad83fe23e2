#include <fltr/partition/describe.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <fltr/partition/by_label.hpp>
#include <fltr/partition/by_preference.hpp>
#include <fltr/partition/by_quantity.hpp>
#include <fltr/partition/by_user.hpp>
#include <fltr/partition/dirichlet_over_grades.hpp>
#include <fltr/partition/iid.hpp>
#include <fltr/partition/sampled.hpp>

#include "support/catch.hpp"
#include "support/datasets.hpp"

using namespace fltr;
using namespace fltr::testing;

namespace {

/// Compares a report with a recount, document by document.
template <Population P>
void check_recount(P const& population) {
  SkewReport const report = describe(population);
  REQUIRE(report.clients.size() == population.size());
  REQUIRE(report.consistent());
  std::vector<std::uint64_t> whole(31);
  std::uint64_t queries = 0;
  std::uint64_t documents = 0;
  std::uint64_t interactions = 0;
  for (std::size_t i = 0; i < population.size(); ++i) {
    auto const client = population[i];
    std::vector<std::uint64_t> grades(31);
    std::uint64_t own = 0;
    for (std::size_t q = 0; q < client.queries.size(); ++q)
      for (std::size_t d = 0; d < client.queries[q].document_count(); ++d) {
        ++grades[client.queries[q].grades()[d]];
        ++whole[client.queries[q].grades()[d]];
        ++own;
      }
    REQUIRE(report.clients[i].id == client.id);
    REQUIRE(report.clients[i].interactions == client.interactions);
    REQUIRE(report.clients[i].queries == client.queries.size());
    REQUIRE(report.clients[i].documents == own);
    for (std::size_t grade = 0; grade < 31; ++grade)
      REQUIRE((grade < report.grade_count() ? report.grades_of(i)[grade] : 0) == grades[grade]);
    queries += client.queries.size();
    documents += own;
    interactions += client.interactions;
  }
  for (std::size_t grade = 0; grade < report.grade_count(); ++grade) REQUIRE(report.whole[grade] == whole[grade]);
  CHECK(report.queries == queries);
  CHECK(report.documents == documents);
  CHECK(report.interactions == interactions);
}

}  // namespace

TEST_CASE("The report agrees with a recount for every population") {
  Dataset const data = random_dataset(191, {.queries = 60, .most_documents = 30});
  Intents intents;
  Stream stream(192);
  for (std::size_t k = 0; k < 3; ++k) {
    intents.grades.emplace_back(data.document_count());
    for (Grade& grade : intents.grades.back()) grade = static_cast<Grade>(stream.below(2));
  }
  check_recount(split_iid(data, {.clients = 7}));
  check_recount(ByPreference{.intents = intents, .clients = 8}.split(data));
  check_recount(ByLabel{.labels_per_client = 2, .clients = 20}.split(Dataset(data)));
  check_recount(DirichletOverGrades{.alpha = 0.1, .minimum_documents = 0}.split(Dataset(data)));
  check_recount(ByQuantity{}.split(data));
  check_recount(ByUser{.log = {{"a", "b"}, {{5, 1, 7}, {2}}}}.split(data));
  check_recount(Sampled{split_iid(data, {.clients = 4}), 2});
  check_recount(std::vector<Client>{{4, 2, QueryPool(data, {1, 2})}, {9, 1, {}}, {2, 1, QueryPool(data, {1})}});
  check_recount(std::vector<Client>{});
}

TEST_CASE("Clients of one grade have the divergence of the closed form, and IID clients have none") {
  std::vector<std::vector<Document>> queries;
  for (int q = 0; q < 10; ++q) queries.push_back({{0, {1}}, {1, {2}}, {2, {3}}});
  Dataset const data = dataset_of(queries, 1);
  SkewReport const iid = describe(split_iid(data, {.clients = 3}));
  CHECK(iid.mean_divergence == Approx(0.0).margin(1e-15));
  SkewReport const skewed = describe(ByLabel{}.split(Dataset(data)));
  // M = (2/3, 1/6, 1/6): H(M) − log2(3) / 2 = 2/3 · log2(3/2) + 1/3 · log2(6) − log2(3) / 2.
  double const expected = 2.0 / 3 * std::log2(1.5) + std::log2(6.0) / 3 - std::log2(3.0) / 2;
  for (ClientSkew const& client : skewed.clients) CHECK(client.divergence == Approx(expected).epsilon(1e-12));
  CHECK(skewed.mean_divergence == Approx(expected).epsilon(1e-12));
  CHECK(skewed.weighted_divergence == Approx(expected).epsilon(1e-12));
}

TEST_CASE("Means of the divergence count clients with documents only") {
  Dataset const data = dataset_of({{{0, {1}}}, {{1, {1}}, {1, {1}}, {1, {1}}}}, 1);
  std::vector<Client> const clients{{0, 1, QueryPool(data, {0})}, {1, 1, QueryPool(data, {1})}, {2, 1, {}}};
  SkewReport const report = describe(clients);
  CHECK(report.without_documents == 1);
  double const a = jensen_shannon(std::vector<std::uint64_t>{1, 0}, std::vector<std::uint64_t>{1, 3});
  double const b = jensen_shannon(std::vector<std::uint64_t>{0, 3}, std::vector<std::uint64_t>{1, 3});
  CHECK(report.clients[2].divergence == 0.0);
  CHECK(report.mean_divergence == Approx((a + b) / 2).epsilon(1e-12));
  CHECK(report.weighted_divergence == Approx((a + 3 * b) / 4).epsilon(1e-12));
}

TEST_CASE("A million IID clients are described by one count") {
  Dataset const data = random_dataset(193, {.queries = 500, .most_documents = 100});
  SkewReport const report = describe(split_iid(data, {.clients = 1'000'000}));
  CHECK(report.documents == 1'000'000 * data.document_count());
}

TEST_CASE("Higher grades that appear late widen the counts of the clients before") {
  Dataset const data = dataset_of({{{0, {1}}, {0, {1}}}, {{1, {1}}}, {{2, {1}}, {0, {1}}, {2, {1}}}, {{30, {1}}}}, 1);
  std::vector<std::vector<std::uint32_t>> const pools{{}, {0}, {1, 0}, {0}, {2}, {1}, {3}, {}, {3, 2}};
  std::vector<Client> clients;
  for (std::uint32_t i = 0; i < pools.size(); ++i)
    clients.push_back({i, 1, pools[i].empty() ? QueryPool() : QueryPool(data, pools[i])});
  check_recount(clients);
  SkewReport const report = describe(clients);
  CHECK(report.grade_count() == 31);
  CHECK(report.grades_of(2)[0] == 2);
  CHECK(report.grades_of(2)[1] == 1);
  CHECK(report.grades_of(8)[30] == 1);
}

TEST_CASE("The counts of clients take 8 bytes per client and grade, while they are counted and afterwards") {
  fltr::detail::GradeRows rows(1000);
  for (std::size_t i = 0; i < 1000; ++i) {
    fltr::detail::GradeCounts counts{};
    counts[i < 10 ? 0 : i % 3] = i + 1;
    rows.add(counts);
    REQUIRE(rows.width() == (i < 10 ? 1U : i == 10 ? 2U : 3U));  // 10 % 3 = 1, 11 % 3 = 2
  }
  auto const counts = std::move(rows).take();
  CHECK(counts.size() == 3000);
  CHECK(counts.capacity() == 3000);
  CHECK(counts[3 * 5] == 6);
  CHECK(counts[3 * 998 + 2] == 999);
  Dataset const data = dataset_of({{{0, {1}}}, {{2, {1}}}}, 1);
  std::vector<Client> clients;
  for (std::uint32_t i = 0; i < 100; ++i) clients.push_back({i, 1, QueryPool(data, {i % 2})});
  CHECK(describe(clients).grade_counts.capacity() == 300);
}

TEST_CASE("Pools with other grades of the same Dataset are told apart") {
  Dataset const data = dataset_of({{{0, {1}}, {0, {2}}}}, 1);
  struct Alternating {  // makes its grades on each access, possibly at the address of the grades before
    Dataset const* data;
    std::size_t size() const { return 6; }
    Client operator[](std::size_t i) const {
      auto const grade = static_cast<Grade>(i % 3);
      return {static_cast<ClientId>(i), 1, QueryPool(*data).with_grades({grade, grade})};
    }
  };
  SkewReport const report = describe(Alternating{&data});
  CHECK(report.whole == std::vector<std::uint64_t>{4, 4, 4});
  for (std::size_t i = 0; i < 6; ++i) CHECK(report.grades_of(i)[i % 3] == 2);
}
