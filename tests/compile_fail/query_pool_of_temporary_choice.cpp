// first error: fltr: QueryPool refers to its Dataset, so the Dataset must not be a temporary
#include <fltr/data/client.hpp>

fltr::QueryPool pool{fltr::Dataset{}, {0}};
