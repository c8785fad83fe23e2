#pragma once

#include <string_view>

namespace fltr {

/// The library's version; CMakeLists.txt and conanfile.py read it from here.
inline constexpr std::string_view version = "0.1.0";

}  // namespace fltr
