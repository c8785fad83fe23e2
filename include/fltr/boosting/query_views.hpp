#pragma once

#include <cstddef>
#include <vector>

#include <fltr/concepts/query_set.hpp>
#include <fltr/data/dataset.hpp>
#include <fltr/data/query_view.hpp>

namespace fltr {

/// The queries of a Dataset or QueryPool as views. The Dataset must outlive the views.
template <QuerySet Queries>
[[nodiscard]] std::vector<QueryView> query_views(Queries const& queries) {
  std::vector<QueryView> views;
  views.reserve(queries.size());
  for (std::size_t q = 0; q < queries.size(); ++q) views.push_back(queries[q]);
  return views;
}
void query_views(Dataset const&&) = delete;

}  // namespace fltr
