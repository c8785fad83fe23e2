// first error: fltr: required finite and infinite numbers and NaN
// flags: -ffast-math
#include <fltr/rankers/linear_ranker.hpp>
