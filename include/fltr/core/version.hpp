#pragma once

#include <string_view>

#include <fltr/core/compiler.hpp>

namespace fltr {

/// The version of the library. CMakeLists.txt and conanfile.py read this line.
inline constexpr std::string_view version = "0.1.0";

}  // namespace fltr
