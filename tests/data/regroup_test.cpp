#include <fltr/data/regroup.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <fltr/data/client.hpp>
#include <fltr/formats/letor_reader.hpp>

#include "support/catch.hpp"
#include "support/datasets.hpp"
#include "support/same_dataset.hpp"

namespace {

using fltr::Dataset;
using fltr::Grade;
using fltr::QueryPool;
using fltr::RegroupedDataset;

/// Random queries whose docids are the numbers of their documents.
Dataset named_documents(std::uint64_t seed, fltr::testing::RandomShape shape) {
  fltr::DatasetParts parts = fltr::testing::random_dataset(seed, shape).release();
  for (std::size_t d = 0; d < parts.grades.size(); ++d) parts.docids.push_back(std::to_string(d));
  return Dataset(std::move(parts));
}

std::vector<std::uint32_t> drawn_groups(std::size_t documents, std::uint32_t groups, std::uint64_t seed) {
  fltr::Stream stream(seed);
  std::vector<std::uint32_t> out(documents);
  for (auto& group : out) group = stream.below(groups);
  return out;
}

}  // namespace

TEST_CASE("regroup divides the documents of a query by group and keeps their order") {
  auto const text = [](std::string const& rows) { return fltr::parse_letor(rows, "x", {.feature_count = 9}); };
  auto const regrouped =
      fltr::regroup(text("1 qid:a 1:1 #docid = A1\n0 qid:a 9:2 #docid = A2\n2 qid:a 1:3 #docid = A3\n"
                         "3 qid:b 2:4 #docid = B1\n4 qid:b 2:5 #docid = B2\n"),
                    std::vector<std::uint32_t>{7, 2, 7, 2, 2});
  // parse_letor joins neighbouring rows of one qid, so the expected queries have other qids.
  auto const expected = text(
      "0 qid:a2 9:2 #docid = A2\n1 qid:a7 1:1 #docid = A1\n2 qid:a7 1:3 #docid = A3\n"
      "3 qid:b2 2:4 #docid = B1\n4 qid:b2 2:5 #docid = B2\n");
  fltr::DatasetParts parts = expected.parts();
  parts.qids = {};
  for (char const* const qid : {"a", "a", "b"}) parts.qids.push_back(qid);
  Dataset const renamed(std::move(parts));
  CHECK(fltr::testing::same_dataset(regrouped.data(), renamed));
  REQUIRE(regrouped.size() == 3);
  std::vector<std::uint32_t> groups;
  std::vector<std::uint32_t> originals;
  for (std::size_t i = 0; i < 3; ++i) {
    groups.push_back(regrouped.group_of(i));
    originals.push_back(regrouped.original_query(i));
  }
  CHECK(groups == std::vector<std::uint32_t>{2, 7, 2});
  CHECK(originals == std::vector<std::uint32_t>{0, 0, 1});
}

TEST_CASE("regroup puts every document into the query of its group once, with its row, grade and docid") {
  Dataset const data = named_documents(21, {.queries = 200, .features = 6, .most_documents = 40});
  auto const groups = drawn_groups(data.document_count(), 9, 22);
  auto const regrouped = fltr::regroup(data, groups);
  Dataset const& now = regrouped.data();
  REQUIRE(now.document_count() == data.document_count());
  std::vector<int> seen(data.document_count());
  std::set<std::pair<std::uint32_t, std::uint32_t>> pairs;
  for (std::size_t i = 0; i < now.size(); ++i) {
    std::uint32_t const original = regrouped.original_query(i);
    REQUIRE(now[i].document_count() > 0);
    REQUIRE(now.qid(i) == data.qid(original));
    pairs.emplace(original, regrouped.group_of(i));
    std::size_t before = 0;
    for (std::size_t d = 0; d < now[i].document_count(); ++d) {
      std::size_t const document = std::stoul(std::string(now.docid(now.first_document(i) + d)));
      ++seen[document];
      REQUIRE(groups[document] == regrouped.group_of(i));
      REQUIRE((document >= data.first_document(original) && document < data.first_document(original + 1)));
      REQUIRE((d == 0 || document > before));
      before = document;
      std::size_t const row = document - data.first_document(original);
      REQUIRE(now[i].grades()[d] == data[original].grades()[row]);
      REQUIRE(std::ranges::equal(now[i].row(d), data[original].row(row)));
    }
    std::vector<Grade> ideal(now[i].grades().begin(), now[i].grades().end());
    std::ranges::sort(ideal, std::greater<>());
    REQUIRE(std::ranges::equal(now[i].ideal(), ideal));
    if (i > 0)
      REQUIRE(std::tuple(regrouped.original_query(i - 1), regrouped.group_of(i - 1)) <
              std::tuple(original, regrouped.group_of(i)));
  }
  CHECK(seen == std::vector<int>(data.document_count(), 1));
  CHECK(pairs.size() == now.size());
}

TEST_CASE("regroup does not copy the features of a Dataset that is moved in") {
  Dataset data = named_documents(23, {.queries = 50});
  float const* const features = data.parts().features.data();
  auto const groups = drawn_groups(data.document_count(), 4, 24);
  auto const regrouped = fltr::regroup(std::move(data), groups);
  CHECK(regrouped.data().parts().features.data() == features);
}

TEST_CASE("regroup with one group removes the queries without documents and changes nothing else") {
  Dataset const data = named_documents(25, {.queries = 60});
  auto const regrouped = fltr::regroup(data, std::vector<std::uint32_t>(data.document_count(), 4'000'000'000U));
  std::size_t i = 0;
  for (std::size_t q = 0; q < data.size(); ++q) {
    if (data[q].document_count() == 0) continue;
    CHECK(regrouped.original_query(i) == q);
    CHECK(regrouped.group_of(i) == 4'000'000'000U);
    CHECK(std::ranges::equal(regrouped.data()[i].grades(), data[q].grades()));
    ++i;
  }
  CHECK(i == regrouped.size());
  CHECK(i < data.size());  // at least one query has no documents
  CHECK(regrouped.data().parts().grades == data.parts().grades);
}

TEST_CASE("regroup accepts a Dataset without queries, without documents and with one document") {
  CHECK(fltr::regroup(Dataset(), {}).size() == 0);
  auto const empty_queries = fltr::regroup(fltr::testing::dataset_of({{}, {}}, 2), {});
  CHECK(empty_queries.size() == 0);
  CHECK(empty_queries.data().size() == 0);
  CHECK(empty_queries.data().feature_count() == 2);
  CHECK(empty_queries.pool_of(0U).size() == 0);
  auto const one = fltr::regroup(fltr::testing::dataset_of({{}, {{3, {5}}}}, 1), std::vector<std::uint32_t>{6});
  REQUIRE(one.size() == 1);
  CHECK(one.original_query(0) == 1);
  CHECK(one.data().qid(0) == "2");
  QueryPool const pool = one.pool_of(6U);
  REQUIRE(pool.size() == 1);
  CHECK(pool[0].row(0)[0] == 5.0F);
}

TEST_CASE("regroup throws unless there is one group per document") {
  Dataset const data = fltr::testing::dataset_of({{{0, {1}}, {1, {2}}}}, 1);
  CHECK_THROWS_WITH(fltr::regroup(data, std::vector<std::uint32_t>{1}),
                    "regroup: required 2 groups, one per document, got 1");
}

TEST_CASE("RegroupedDataset returns the pool of a group, of several groups and of each group") {
  Dataset const data = named_documents(26, {.queries = 100});
  auto const regrouped = fltr::regroup(data, drawn_groups(data.document_count(), 5, 27));
  auto const numbers = [](QueryPool const& pool) {
    std::vector<std::uint32_t> out;
    for (std::size_t i = 0; i < pool.size(); ++i) out.push_back(pool.index(i));
    return out;
  };
  auto const pools = regrouped.pools(7);  // groups 5 and 6 have no documents
  REQUIRE(pools.size() == 7);
  std::size_t total = 0;
  for (std::uint32_t group = 0; group < 7; ++group) {
    auto const pool = regrouped.pool_of(group);
    CHECK(pool.is_of(regrouped.data()));
    CHECK(numbers(pool) == numbers(pools[group]));
    for (auto const i : numbers(pool)) REQUIRE(regrouped.group_of(i) == group);
    total += pool.size();
  }
  CHECK(total == regrouped.size());
  CHECK(pools[5].size() == 0);
  auto both = numbers(pools[3]);
  std::ranges::copy(numbers(pools[1]), std::back_inserter(both));
  std::ranges::sort(both);
  CHECK(numbers(regrouped.pool_of(std::vector<std::uint32_t>{3, 1, 3})) == both);
  CHECK_THROWS_WITH(regrouped.pools(4), "RegroupedDataset::pools: required groups below 4, got 4");
}

TEST_CASE("1,000 clients of one grade each share the features") {
  // Non-IID type 2. Client c has the grade c modulo 5. The documents of a grade are distributed among its clients.
  Dataset data = named_documents(28, {.queries = 400, .features = 4, .most_documents = 40});
  std::vector<std::uint32_t> client_of(data.document_count());
  std::vector<std::uint32_t> next(5);
  for (std::size_t d = 0; d < client_of.size(); ++d) {
    Grade const grade = data.parts().grades[d];
    client_of[d] = 5 * (next[grade]++ % 200) + grade;
  }
  std::size_t const documents = data.document_count();
  auto const regrouped = fltr::regroup(std::move(data), client_of);
  std::vector<fltr::Client> clients;
  for (auto& pool : regrouped.pools(1000)) clients.push_back({static_cast<fltr::ClientId>(clients.size()), 4, pool});
  auto const features = regrouped.data().parts().features.span();
  std::set<std::string> seen;
  for (fltr::Client const& client : clients)
    for (std::size_t i = 0; i < client.queries.size(); ++i) {
      fltr::QueryView const query = client.queries[i];
      REQUIRE((query.rows() >= features.data() && query.rows() < features.data() + features.size()));
      for (Grade const grade : query.grades()) REQUIRE(grade == client.id % 5);
      std::size_t const first = regrouped.data().first_document(client.queries.index(i));
      for (std::size_t d = 0; d < query.document_count(); ++d) {
        auto const docid = std::string(regrouped.data().docid(first + d));
        REQUIRE(client_of[std::stoul(docid)] == client.id);
        seen.insert(docid);
      }
    }
  CHECK(seen.size() == documents);
}
