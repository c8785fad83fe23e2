// build error: (use of deleted function|overload resolution selected deleted operator|call to deleted)
#include <fltr/formats/letor_reader.hpp>

// The view would refer to a dataset that is destroyed at the end of the statement.
auto query = fltr::read_letor("train.txt")[0];
