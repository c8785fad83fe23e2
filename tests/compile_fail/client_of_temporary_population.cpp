// build error: (use of deleted function|overload resolution selected deleted operator|call to deleted)
#include <fltr/partition/logged_population.hpp>
#include <fltr/rankers/linear_ranker.hpp>

// The client would refer to lists of a population that is destroyed at the end of the statement.
auto client(fltr::Dataset const& data) { return fltr::LoggedPopulation(data, fltr::LinearRanker(5))[0]; }
