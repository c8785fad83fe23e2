// first error: fltr: a QueryPool refers to its RegroupedDataset, which must not be a temporary
#include <fltr/data/regroup.hpp>

// The pools keep pointers to the regrouped dataset, which would be destroyed at the end of the statement.
auto pools = fltr::regroup(fltr::Dataset{}, {}).pools(1);
