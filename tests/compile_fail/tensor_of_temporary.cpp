// build error: (use of deleted function|call to deleted)
#include <fltr/data/letor_reader.hpp>
#include <fltr/tensor.hpp>

// The tensor would refer to a dataset that is gone at the semicolon.
auto features = fltr::as_tensor(fltr::read_letor("train.txt"));
