#pragma once

// The precompiled header of fltr: all public headers of fltr.hpp. The functions of compiled_functions.hpp are compiled
// once, in fltr_precompiled.cpp, and not again in every program.
#include <fltr/fltr.hpp>

#define FLTR_COMPILED extern template
#include "compiled_functions.hpp"
#undef FLTR_COMPILED
