// first error: fltr: the result of Dataset::queries refers to its Dataset, so the Dataset must not be a temporary
#include <fltr/formats/letor_reader.hpp>

// The view would refer to a dataset that is destroyed at the end of the statement.
auto queries = fltr::read_letor("train.txt").queries();
