// first error: fltr: a tensor refers to its ranker, so the ranker must not be a temporary
#include <fltr/rankers/linear_ranker.hpp>
#include <fltr/tensor.hpp>

// The tensor would refer to a ranker that is destroyed at the end of the statement.
auto weights = fltr::parameters_tensor(fltr::LinearRanker(3));
