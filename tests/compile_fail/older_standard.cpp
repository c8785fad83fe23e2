// first error: fltr: required C\+\+20, got an older standard
// flags: -std=c++17
#include <fltr/data/dataset.hpp>
