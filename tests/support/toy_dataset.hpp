#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <fltr/core/random.hpp>
#include <fltr/core/tensor.hpp>
#include <fltr/data/dataset.hpp>
#include <fltr/data/make_dataset.hpp>

namespace fltr::testing {

/// A small dataset that can be learned: the grade grows with the features 1, 3, … and falls with the features 0, 2, ….
inline Dataset toy_dataset(std::size_t queries = 40, std::size_t documents = 12, std::size_t features = 5,
                           std::uint64_t seed = 1) {
  Stream stream(seed);
  Matrix<float> rows({queries * documents, features});
  std::vector<Grade> grades;
  for (std::size_t i = 0; i < queries * documents; ++i) {
    double relevance = 0;
    for (std::size_t k = 0; k < features; ++k) {
      double const value = stream.uniform();
      rows(i, k) = static_cast<float>(value);
      relevance += k % 2 == 1 ? value : -value;
    }
    grades.push_back(relevance > 0.3 ? 2 : relevance > 0.0 ? 1 : 0);
  }
  std::vector<std::size_t> const sizes(queries, documents);
  return make_dataset(rows, grades, sizes);
}

}  // namespace fltr::testing
