#pragma once

/// Includes Catch2 2.13 or 3.x. Some names moved in version 3.
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
