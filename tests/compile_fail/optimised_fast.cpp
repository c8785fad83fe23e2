// first error: fltr: required finite and infinite numbers and NaN
// flags: -Ofast
#include <fltr/core/version.hpp>
