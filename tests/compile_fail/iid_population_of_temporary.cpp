// first error: fltr: IidPopulation refers to its Dataset, so the Dataset must not be a temporary
#include <fltr/partition/iid.hpp>

fltr::IidPopulation clients{fltr::Dataset{}, 10, 4};
