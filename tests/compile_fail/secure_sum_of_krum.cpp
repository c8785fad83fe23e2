// build error: fltr: SecureSum needs an aggregator that uses nothing but a sum of vectors
#include <fltr/aggregators/krum.hpp>
#include <fltr/aggregators/secure_sum.hpp>

fltr::SecureSum<fltr::Krum> const krum{};
