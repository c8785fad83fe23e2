#include "fltr_precompiled.hpp"

#define FLTR_COMPILED template
#include "compiled_functions.hpp"
