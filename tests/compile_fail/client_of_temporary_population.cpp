// build error: (use of deleted function|overload resolution selected deleted operator|call to deleted)
#include <fltr/partition/logged.hpp>
#include <fltr/rankers/linear.hpp>

// The client would refer to lists of a population that is gone at the semicolon.
auto client(fltr::Dataset const& data) { return fltr::LoggedPopulation(data, fltr::LinearRanker(5))[0]; }
