// build error: (use of deleted function|call to deleted function).*split_iid
#include "parts.hpp"

// The clients would point to a dataset that is gone at the semicolon.
auto clients = fltr::split_iid(fltr::Dataset{});
