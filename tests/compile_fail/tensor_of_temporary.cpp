// first error: fltr: a tensor refers to its Dataset, so the Dataset must not be a temporary
#include <fltr/formats/letor_reader.hpp>
#include <fltr/tensor.hpp>

// The tensor would refer to a dataset that is destroyed at the end of the statement.
auto features = fltr::as_tensor(fltr::read_letor("train.txt"));
