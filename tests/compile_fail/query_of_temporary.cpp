// first error: fltr: a query refers to its Dataset, so the Dataset must not be a temporary
#include <fltr/formats/letor_reader.hpp>

// The view would refer to a dataset that is destroyed at the end of the statement.
auto query = fltr::read_letor("train.txt")[0];
