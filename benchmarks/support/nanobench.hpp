#pragma once

/// nanobench (https://nanobench.ankerl.com) if the build found it, else a stand-in with the same functions.
#ifdef FLTR_HAS_NANOBENCH
#include <nanobench.h>
#else
#include "support/nanobench_stand_in.hpp"
#endif
