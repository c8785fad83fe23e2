// first error: fltr: a query can refer to grades of its QueryPool, which must not be a temporary
#include <fltr/data/query_pool.hpp>

// The view may refer to grades of a pool that is destroyed at the end of the statement.
auto query(fltr::Dataset const& data) { return fltr::QueryPool(data)[0]; }
