// first error: fltr: a QueryPool refers to its RegroupedDataset, which must not be a temporary
#include <fltr/data/regroup.hpp>

// The pool keeps a pointer to the regrouped dataset, which would be destroyed at the end of the statement.
fltr::QueryPool pool = fltr::regroup(fltr::Dataset{}, {}).pool_of(1U);
