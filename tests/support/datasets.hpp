#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fltr/core/random.hpp>
#include <fltr/data/dataset.hpp>

namespace fltr::testing {

/// A document of `dataset_of`.
struct Document {
  int grade = 0;
  std::vector<float> features;
};

/// A Dataset of literal values: each query is a list of documents.
[[nodiscard]] inline Dataset dataset_of(std::vector<std::vector<Document>> const& queries, std::size_t features) {
  std::size_t const stride = Dataset::stride_for(features);
  std::size_t documents = 0;
  for (auto const& query : queries) documents += query.size();
  DatasetParts parts{features, AlignedFloats(documents * stride), {}, {0}, {}, {}};
  std::ranges::fill(parts.features.span(), 0.0F);
  float* row = parts.features.data();
  for (auto const& query : queries) {
    for (auto const& document : query) {
      std::ranges::copy(document.features, row);
      row += stride;
      parts.grades.push_back(static_cast<Grade>(document.grade));
    }
    parts.query_offsets.push_back(parts.grades.size());
    parts.qids.push_back(std::to_string(parts.qids.size() + 1));
  }
  return Dataset(std::move(parts));
}

struct RandomShape {
  std::size_t queries = 20;
  std::size_t features = 5;
  std::uint32_t most_documents = 12;  ///< queries have 0 to this many documents
  std::uint32_t grades = 5;
  std::uint32_t levels = 0;  ///< > 0: features are integers below `levels`, so that scores tie; 0: normal numbers
};

/// A Dataset with random features and uniform grades. One query in eight has no relevant document.
[[nodiscard]] inline Dataset random_dataset(std::uint64_t seed, RandomShape shape = {}) {
  Stream stream(seed);
  std::vector<std::vector<Document>> queries(shape.queries);
  for (auto& query : queries) {
    bool const empty = stream.below(8) == 0;
    query.resize(stream.below(shape.most_documents + 1));
    for (auto& document : query) {
      document.grade = empty ? 0 : static_cast<int>(stream.below(shape.grades));
      document.features.resize(shape.features);
      for (float& x : document.features)
        x = shape.levels > 0 ? static_cast<float>(stream.below(shape.levels)) : static_cast<float>(stream.normal());
    }
  }
  return dataset_of(queries, shape.features);
}

}  // namespace fltr::testing
