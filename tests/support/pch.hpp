#pragma once

// Precompiled once for all test programs: headers that many tests include and that take long to parse. No header of
// fltr is here, so that a change in a header of fltr does not rebuild all tests.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <limits>
#include <memory>
#include <numeric>
#include <span>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include <range/v3/view/iota.hpp>
#include <range/v3/view/transform.hpp>
#include <xsimd/xsimd.hpp>

#include "support/catch.hpp"
