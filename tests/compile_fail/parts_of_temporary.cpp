// first error: fltr: the result of Dataset::parts refers to its Dataset, so the Dataset must not be a temporary
#include <fltr/formats/letor_reader.hpp>

// The parts would be those of a dataset that is destroyed at the end of the statement.
auto const& parts = fltr::read_letor("train.txt").parts();
