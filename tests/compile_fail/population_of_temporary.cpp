// first error: fltr: the result of split_iid refers to its Dataset, so the Dataset must not be a temporary
#include "parts.hpp"

// The clients would point to a dataset that is destroyed at the end of the statement.
auto clients = fltr::split_iid(fltr::Dataset{});
