#pragma once

#include <concepts>
#include <cstddef>

#include <fltr/data/dataset.hpp>
#include <fltr/data/query_pool.hpp>
#include <fltr/data/query_view.hpp>

namespace fltr {

/// A **QuerySet** is a number of queries, each with its documents and grades.
///
/// | required     | meaning                                                                                         |
/// | ------------ | ----------------------------------------------------------------------------------------------- |
/// | `s.size()`   | const; how many queries there are                                                               |
/// | `s[i]`       | const; the QueryView of query i < s.size()                                                      |
///
/// Not required: `draw`, identifiers, one Dataset for all queries.
///
///     struct FirstQuery {
///       fltr::Dataset const* data;
///       std::size_t size() const { return 1; }
///       fltr::QueryView operator[](std::size_t) const { return (*data)[0]; }
///     };
///     static_assert(fltr::QuerySet<FirstQuery>);
///
/// Models: Dataset, QueryPool, QuerySequence, std::vector<QueryView>. Stronger: QuerySource.
template <class S>
concept QuerySet = requires(S const& s, std::size_t i) {
  { s.size() } -> std::convertible_to<std::size_t>;
  { s[i] } -> std::convertible_to<QueryView>;
};
static_assert(QuerySet<Dataset> && QuerySet<QueryPool>);

}  // namespace fltr
