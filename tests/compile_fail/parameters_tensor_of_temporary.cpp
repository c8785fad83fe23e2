// build error: (use of deleted function|call to deleted)
#include <fltr/rankers/linear.hpp>
#include <fltr/tensor.hpp>

// The tensor would refer to a ranker that is gone at the semicolon.
auto weights = fltr::parameters_tensor(fltr::LinearRanker(3));
