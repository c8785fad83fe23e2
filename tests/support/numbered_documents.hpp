#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <fltr/concepts/population.hpp>
#include <fltr/data/dataset.hpp>

#include "support/datasets.hpp"

namespace fltr::testing {

/// A random Dataset whose docids are the numbers of the documents.
[[nodiscard]] inline Dataset numbered_documents(std::uint64_t seed, RandomShape shape = {}) {
  DatasetParts parts = random_dataset(seed, shape).release();
  for (std::size_t d = 0; d < parts.grades.size(); ++d) parts.docids.push_back(std::to_string(d));
  return Dataset(std::move(parts));
}

/// The documents of each client of a population, by the docids of the Dataset that the population owns.
template <Population P>
[[nodiscard]] std::vector<std::vector<std::size_t>> documents_of_clients(P const& population) {
  std::vector<std::vector<std::size_t>> out(population.size());
  Dataset const& data = population.data();
  for (std::size_t i = 0; i < population.size(); ++i) {
    QueryPool const& pool = population[i].queries;
    for (std::size_t q = 0; q < pool.size(); ++q)
      for (std::size_t d = 0; d < pool[q].document_count(); ++d)
        out[i].push_back(std::stoul(std::string(data.docid(data.first_document(pool.index(q)) + d))));
  }
  return out;
}

/// How many clients have each document.
[[nodiscard]] inline std::vector<int> owners_of_documents(std::vector<std::vector<std::size_t>> const& documents,
                                                          std::size_t count) {
  std::vector<int> owners(count);
  for (auto const& own : documents)
    for (std::size_t const d : own) ++owners[d];
  return owners;
}

}  // namespace fltr::testing
