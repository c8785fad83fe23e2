#pragma once

/// Catch2 2.13 is one header; since 3 it is many, and some names have moved.
#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
using Catch::Approx;
using Catch::Matchers::ContainsSubstring;
#else
#include <string>

#include <catch2/catch.hpp>
using Catch::Detail::Approx;
inline auto ContainsSubstring(std::string const& text) { return Catch::Contains(text); }
#endif
