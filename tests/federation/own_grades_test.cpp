// Trainings of clients with own grades, and of clients whose documents come from a regrouped Dataset.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <fltr/click_models/cascade_model.hpp>
#include <fltr/data/client.hpp>
#include <fltr/data/regroup.hpp>
#include <fltr/data/select_queries.hpp>
#include <fltr/presets/fpdgd.hpp>
#include <fltr/rankers/linear_ranker.hpp>

#include "support/catch.hpp"
#include "support/same_bits.hpp"
#include "support/toy_dataset.hpp"

namespace {

using namespace fltr;
using fltr::testing::same_bits;
using fltr::testing::toy_dataset;

std::vector<Grade> drawn_grades(std::size_t documents, std::uint64_t seed) {
  Stream stream(seed);
  std::vector<Grade> grades(documents);
  for (Grade& grade : grades) grade = static_cast<Grade>(stream.below(3));
  return grades;
}

/// The model of FPDGD after three rounds.
LinearRanker trained(std::vector<Client> clients) {
  auto training = fpdgd(LinearRanker(5), CascadeModel::informational(3)).start(std::move(clients), {.seed = 3});
  for (int round = 0; round < 3; ++round) training.advance();
  return training.ranker();
}

}  // namespace

TEST_CASE("Clients with grades of their own train like clients with Datasets of these grades") {
  auto const data = toy_dataset(60, 12);
  std::vector<Client> with_grades;
  std::vector<Client> plain;
  std::vector<Client> with_copies;
  std::vector<Dataset> copies;
  copies.reserve(1000);  // the pools keep pointers
  for (std::uint32_t c = 0; c < 1000; ++c) {
    std::vector<std::uint32_t> const chosen{c % 60, (c + 7) % 60, (c + 20) % 60};
    QueryPool const pool(data, chosen);
    auto const grades = drawn_grades(pool.document_count(), c);
    plain.push_back({c, 2, pool});
    with_grades.push_back({c, 2, pool.with_grades(grades)});
    DatasetParts parts = select_queries(data, chosen).release();
    parts.grades = grades;
    copies.emplace_back(std::move(parts));
    with_copies.push_back({c, 2, QueryPool(copies.back())});
  }
  auto const model = trained(with_grades);
  CHECK(same_bits(model, trained(with_copies)));
  CHECK(!same_bits(model, trained(plain)));
}

TEST_CASE("Clients of a regrouped Dataset train like clients with Datasets of their documents") {
  auto const data = toy_dataset(60, 40);
  std::vector<std::uint32_t> client_of(data.document_count());
  Stream stream(5);
  for (auto& client : client_of) client = stream.below(1000);
  auto const regrouped = regroup(data, client_of);
  std::vector<Client> clients;
  std::vector<Client> with_copies;
  std::vector<Dataset> copies;
  copies.reserve(1000);  // the pools keep pointers
  for (auto const& pool : regrouped.pools(1000)) {
    auto const id = static_cast<ClientId>(clients.size());
    clients.push_back({id, 2, pool});
    DatasetParts parts{5, {}, {}, {0}, {}, {}};
    std::vector<float> rows;
    for (std::size_t q = 0; q < data.size(); ++q) {  // from the Dataset before it was regrouped
      for (std::size_t d = 0; d < data[q].document_count(); ++d) {
        if (client_of[data.first_document(q) + d] != id) continue;
        parts.grades.push_back(data[q].grades()[d]);
        rows.insert(rows.end(), data[q].rows() + d * data.stride(), data[q].rows() + (d + 1) * data.stride());
      }
      if (parts.grades.size() == parts.query_offsets.back()) continue;
      parts.query_offsets.push_back(parts.grades.size());
      parts.qids.push_back(data.qid(q));
    }
    parts.features = AlignedFloats(rows.size());
    std::ranges::copy(rows, parts.features.data());
    copies.emplace_back(std::move(parts));
    with_copies.push_back({id, 2, QueryPool(copies.back())});
  }
  CHECK(same_bits(trained(clients), trained(with_copies)));
}
