// build error: (use of deleted function|call to deleted constructor).*QueryPool
#include <fltr/data/client.hpp>

// The pool keeps a pointer to the dataset, which would be destroyed at the end of the statement.
fltr::QueryPool pool{fltr::Dataset{}};
