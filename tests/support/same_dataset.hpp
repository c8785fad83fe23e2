#pragma once

#include <algorithm>
#include <cstring>

#include <fltr/data/dataset.hpp>

namespace fltr::testing {

[[nodiscard]] inline bool same_strings(StringList const& a, StringList const& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (a[i] != b[i]) return false;
  return true;
}

/// Whether all parts of two Datasets are equal. Features are compared bit by bit, padding included.
[[nodiscard]] inline bool same_dataset(Dataset const& a, Dataset const& b) {
  auto const& p = a.parts();
  auto const& q = b.parts();
  return p.feature_count == q.feature_count && p.grades == q.grades && p.query_offsets == q.query_offsets &&
         same_strings(p.qids, q.qids) && same_strings(p.docids, q.docids) && p.features.size() == q.features.size() &&
         (p.features.size() == 0 ||
          std::memcmp(p.features.data(), q.features.data(), p.features.size() * sizeof(float)) == 0);
}

}  // namespace fltr::testing
