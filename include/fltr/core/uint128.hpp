#pragma once

#include <fltr/core/compiler.hpp>

namespace fltr {

/// An unsigned integer of 128 bits, an extension of g++ and clang.
__extension__ using Uint128 = unsigned __int128;

}  // namespace fltr
