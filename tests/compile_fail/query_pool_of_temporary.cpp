// build error: (use of deleted function|call to deleted constructor).*QueryPool
#include <fltr/data/client.hpp>

// The pool keeps a pointer to the dataset, which would be gone at the semicolon.
fltr::QueryPool pool{fltr::Dataset{}};
