// first error: fltr: required finite and infinite numbers and NaN
// flags: -ffinite-math-only
#include <fltr/formats/letor_reader.hpp>
