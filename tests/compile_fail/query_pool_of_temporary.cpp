// first error: fltr: QueryPool refers to its Dataset, so the Dataset must not be a temporary
#include <fltr/data/client.hpp>

// The pool keeps a pointer to the dataset, which would be destroyed at the end of the statement.
fltr::QueryPool pool{fltr::Dataset{}};
