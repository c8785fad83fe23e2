// first error: fltr: required operations on floats in the order of the source
// flags: -D__ASSOCIATIVE_MATH__=1
#include <fltr/core/power.hpp>
