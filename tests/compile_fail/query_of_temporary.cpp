// build error: (use of deleted function|overload resolution selected deleted operator|call to deleted)
#include <fltr/data/letor_reader.hpp>

// The view would refer to a dataset that is gone at the semicolon.
auto query = fltr::read_letor("train.txt")[0];
