#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <fltr/core/fields.hpp>
#include <fltr/core/random.hpp>
#include <fltr/core/tensor.hpp>
#include <fltr/data/dataset.hpp>

namespace fltr::testing {

/// A small learnable set: the grade grows with the odd features and falls with the even ones.
inline Dataset toy_dataset(std::size_t queries = 40, std::size_t documents = 12, std::size_t features = 5,
                           std::uint64_t seed = 1) {
  Stream stream(seed);
  Matrix<float> rows({queries * documents, features});
  std::vector<Grade> labels;
  for (std::size_t i = 0; i < queries * documents; ++i) {
    double relevance = 0;
    for (std::size_t k = 0; k < features; ++k) {
      double const value = stream.uniform();
      rows(i, k) = static_cast<float>(value);
      relevance += k % 2 == 1 ? value : -value;
    }
    labels.push_back(relevance > 0.3 ? 2 : relevance > 0.0 ? 1 : 0);
  }
  std::vector<std::size_t> const sizes(queries, documents);
  return make_dataset(rows, labels, sizes);
}

/// Whether two values have the same bytes: no tolerance.
template <HasFields T>
bool same_bits(T const& a, T const& b) {
  return std::ranges::equal(field_bytes(a), field_bytes(b));
}

}  // namespace fltr::testing
