// build error: (use of deleted function|call to deleted function).*split_iid
#include "parts.hpp"

// The clients would point to a dataset that is destroyed at the end of the statement.
auto clients = fltr::split_iid(fltr::Dataset{});
