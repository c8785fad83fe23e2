#pragma once

/// nanobench (https://nanobench.ankerl.com) where the build found it, else our stand-in with the same calls.
#ifdef FLTR_HAS_NANOBENCH
#include <nanobench.h>
#else
#include "support/nanobench_stand_in.hpp"
#endif
