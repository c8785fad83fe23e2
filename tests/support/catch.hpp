#pragma once

/// Catch2 2.13 is one header; since 3 it is many.
#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
#else
#include <catch2/catch.hpp>
#endif

using Catch::Approx;
