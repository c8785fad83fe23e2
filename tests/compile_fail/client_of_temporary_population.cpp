// first error: fltr: a client refers to its population, so the population must not be a temporary
#include <fltr/partition/logged_population.hpp>
#include <fltr/rankers/linear_ranker.hpp>

// The client would refer to lists of a population that is destroyed at the end of the statement.
auto client(fltr::Dataset const& data) { return fltr::LoggedPopulation(data, fltr::LinearRanker(5))[0]; }
